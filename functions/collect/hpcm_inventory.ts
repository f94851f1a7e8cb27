import { collectFunction } from './function.ts';

export default collectFunction('hpcm_inventory');
