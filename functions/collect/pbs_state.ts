import { collectFunction } from './function.ts';

export default collectFunction('pbs_state');
