import { collectFunction } from './function.ts';

export default collectFunction('kafka_telemetry');
