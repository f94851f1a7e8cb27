import { collectFunction } from './function.ts';

export default collectFunction('console_logs');
