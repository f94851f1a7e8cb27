import type { JsonObject } from '../../lib/model/json.ts';
import { node } from '../collectors/hpcm-inputs.ts';
import { alert, on, page, server } from '../collectors/oneview-inputs.ts';
import { status } from '../collectors/weka-inputs.ts';
import { HOUR, MINUTE, NOON, type Story } from './story.ts';

const at = (before: number): string => new Date(NOON - before).toISOString();

/** Ground truth of a fleet in which n2 is missing, n3 has another image, and two entries of known-down nodes are wrong. */
const TRUTH = `
fleet:
  - { nodes: "n[1-40]", role: compute }
roles:
  compute: { image: cos }
known_down:
  - { nodes: n4, reason: bad DIMM, owner: hw-team, created: 2026-11-01, expires: 2026-11-20 }
  - { nodes: n5, reason: bad DIMM, owner: hw-team, created: 2026-11-01, expires: 2026-12-15 }
`;

const vnode = (state: string): JsonObject => ({ state, last_state_change_time: (NOON - HOUR) / 1000 });
const named = (n: number, over: JsonObject = {}): JsonObject => server(n, { modified: at(HOUR), ...over });
/** So many that three lost ones are no loss of the role. */
const FLEET = Array.from({ length: 40 }, (_, i) => i + 1);
const listed = FLEET.filter((n) => n !== 2);

export const derivedStories: Story[] = [
  {
    title: 'what several sources and ground truth show together',
    yaml: `sources:
  hpcm_inventory: { path: hpcm }
  oneview_inventory: { path: servers }
  oneview_alerts: { path: alerts }
  pbs_state: { path: pbs }`,
    truth: TRUTH,
    looks: [
      {
        files: {
          'hpcm/nodes.json': [...listed.map((n) => node(`n${n}`, n === 3 ? { image: { name: 'test', kernel: '5.14' } } : {})), node('n99')],
          'hpcm/cm-power-status.txt': [...listed, 99].map((n) => `n${n} : ${n === 6 ? 'OFF' : 'BOOTED'}\n`).join(''),
          'servers/page1.json': page('server-hardware', [
            named(7),
            named(8, { status: 'Warning' }),
            named(9, { serialNumber: 'DMO2N00001' }),
            named(1, { serialNumber: 'DMO2N00001' }),
          ]),
          'alerts/page1.json': page('alerts', [alert(1, { created: at(HOUR), modified: at(HOUR), associatedResource: on('n1') })]),
          'pbs/pbsnodes.json': {
            timestamp: NOON / 1000 - 60,
            pbs_version: '2022.1.7.20241004133957',
            pbs_server: 'pbs01',
            nodes: Object.fromEntries(listed.map((n) => [`n${n}`, vnode(n === 7 ? 'down' : 'free')])),
          },
        },
      },
    ],
    shows: [
      { kind: 'node_missing', severity: 'warning', subject: 'node n2' },
      { kind: 'image_not_expected', severity: 'warning', subject: 'node n3' },
      { kind: 'known_down_expired', severity: 'warning', subject: 'node n4' },
      { kind: 'known_down_but_up', severity: 'info', subject: 'node n5' },
      { kind: 'power_contradiction', severity: 'warning', subject: 'node n6', part: 'hpcm_inventory and pbs_state' },
      { kind: 'node_down_unexplained', severity: 'info', subject: 'node n7' },
      { kind: 'status_without_alert', severity: 'info', subject: 'node n8' },
      { kind: 'identity_ambiguous', severity: 'info', subject: 'cluster test', part: 'serial number' },
      { kind: 'node_unexpected', severity: 'info', subject: 'node n99' },
    ],
  },
  {
    title: 'storage that fills up',
    yaml: 'sources: { weka_state: { path: weka } }',
    looks: Array.from({ length: 9 }, (_, i) => {
      const before = (8 - i) * 6 * HOUR;
      const files = {
        'weka/status.json': status({
          capacity: { total_bytes: 1e15, hot_spare_bytes: 1e13, unprovisioned_bytes: 0 },
          time: { cluster_time: at(before + MINUTE), allowed_clock_skew_secs: 60 },
        }),
        'weka/fs.json': [
          {
            fs_id: 'FSId<1>',
            name: 'scratch',
            status: 'READY',
            available_total: 100e12,
            used_total: 60e12 + i * 1e12,
            available_ssd: 100e12,
            used_ssd: 60e12 + i * 1e12,
          },
          {
            fs_id: 'FSId<2>',
            name: 'home',
            status: 'READY',
            available_total: 100e12,
            used_total: 10e12,
            available_ssd: 100e12,
            used_ssd: 10e12,
          },
        ],
      };
      return i < 8 ? { before, files, only: 'collect' as const } : { files };
    }),
    shows: [{ kind: 'capacity_forecast', severity: 'warning', subject: 'filesystem scratch' }],
  },
  {
    title: 'own files that are damaged',
    yaml: 'sources: { console_logs: { path: consoles } }',
    truth: 'fleet:\n  - { nodes: "n[1-", role: compute }\n',
    looks: [
      {
        before: 5 * MINUTE,
        files: { 'consoles/n1': 'n1 login: \n' },
        afterwards: (observer, { tick }) => observer.store.putText(`findings/states/${tick}`, '{"schema":'),
      },
      { files: {} },
    ],
    shows: [
      { kind: 'ground_truth_invalid', severity: 'warning', subject: 'cluster test' },
      { kind: 'memory_damaged', severity: 'warning', subject: 'cluster test' },
    ],
  },
];
