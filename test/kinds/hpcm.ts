import type { JsonObject } from '../../lib/model/json.ts';
import { imageGroup, nodeName, nodes } from '../collectors/hpcm-inputs.ts';
import { HOUR, type Shown, type Story } from './story.ts';

const COUNT = 20;
/** Images that nodes booted, where it is not that of most. */
const RUNNING: Record<number, string> = { 0: 'test', 2: 'lost', 3: 'cos-old' };

/** `cm inventory` of the fleet; the nodes named lack their second DIMM, or show nothing at all. */
function inventory({ lost = [], empty = [] }: { lost?: number[]; empty?: number[] } = {}): JsonObject {
  const parts = (i: number): JsonObject => ({
    'sys.Serial Number': `DMO0N${1000 + i}`,
    'dimm.DIMM A.Serial Number': `DA${1000 + i}`,
    'dimm.DIMM B.Serial Number': lost.includes(i) ? 'NA' : `DB${1000 + i}`,
  });
  const all = Array.from({ length: COUNT }, (_, i) => [nodeName(i), empty.includes(i) ? {} : parts(i)] as const);
  return Object.fromEntries(all);
}

const lines = (text: (name: string, i: number) => string): string =>
  Array.from({ length: COUNT }, (_, i) => `${text(nodeName(i), i)}\n`).join('');

const shown = (kind: string, severity: Shown['severity'], subject: string, part?: string): Shown => ({
  kind,
  severity,
  subject,
  ...(part !== undefined && { part }),
});
const of = (i: number): string => `node ${nodeName(i)}`;

export const hpcmStories: Story[] = [
  {
    title: 'hpcm_inventory',
    yaml: 'sources: { hpcm_inventory: { path: hpcm } }',
    looks: [
      { before: HOUR, files: { 'hpcm/nodes.json': nodes(COUNT), 'hpcm/cm-inventory.json': inventory() } },
      {
        files: {
          'hpcm/nodes.json': nodes(COUNT, {
            0: { image: { name: 'test', kernel: '5.14' } },
            1: { image: { name: 'cos', kernel: '5.13' } },
            2: { image: { name: 'lost', kernel: '5.14' } },
            4: { imagePending: true, modificationTime: '2026-11-29T20:00:00.000+00:00' },
            5: { image: null },
          }),
          'hpcm/imagegroups.json': [imageGroup('cos'), imageGroup('test', { attributes: { dirty: 'yes' } })],
          'hpcm/proc-cmdline.txt': lines(
            (name, i) =>
              `${name}: BOOT_IMAGE=images/x/vmlinuz-${i === 1 ? '5.13' : '5.14'} IMAGE=${RUNNING[i] ?? 'cos'} console=ttyS0,115200 ro`,
          ),
          'hpcm/cm-power-status.txt': lines((name, i) => `${name.padEnd(17)}: ${i === 6 ? 'OFF' : 'BOOTED'}`),
          'hpcm/cm-inventory.json': inventory({ lost: [7], empty: [8, 9, 10] }),
        },
      },
    ],
    shows: [
      shown('image_drift', 'warning', of(0)),
      shown('kernel_drift', 'warning', of(1)),
      shown('kernel_not_in_image', 'critical', 'image cos', '5.13'),
      shown('image_missing', 'critical', 'image lost'),
      shown('image_drift', 'warning', of(2)),
      shown('boot_drift', 'warning', of(3)),
      shown('image_pending', 'info', of(4)),
      shown('node_unassigned', 'warning', of(5)),
      shown('node_off', 'warning', of(6)),
      shown('inventory_changed', 'warning', of(7), 'dimm'),
      shown('inventory_unreadable', 'warning', 'cluster test'),
      shown('image_dirty', 'warning', 'image test'),
    ],
  },
];
