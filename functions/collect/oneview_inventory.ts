import { collectFunction } from './function.ts';

export default collectFunction('oneview_inventory');
