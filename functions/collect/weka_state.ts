import { collectFunction } from './function.ts';

export default collectFunction('weka_state');
