import { atomicFsDriver } from '../../lib/store/drivers/atomic-fs.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { conformance } from './conformance.ts';
import { temporaryFolder } from './temporary.ts';

conformance('memory', async () => ({ driver: memoryDriver() }));

const root = temporaryFolder();
conformance('atomic-fs', async () => ({ driver: atomicFsDriver(root) }));
