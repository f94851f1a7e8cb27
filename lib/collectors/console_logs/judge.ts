import type { Severity, Values } from '../../model/condition.ts';
import { consoleKind } from './kinds.ts';
import { type Incident, MAX_ITEMS } from './state.ts';
import { xidName } from './xid.ts';

/** What an incident is worth telling, given the clock and the node's other incidents. */
interface Judgement {
  /** Where it is not the worst that its rules gave. */
  severity?: Severity;
  message: string;
  values?: Values;
}

interface Around {
  /** The log's clock at the end, ms. */
  now: number;
  open: readonly Incident[];
  node: string;
}

type Judge = (incident: Incident, around: Around) => Judgement;

const MINUTE = 60_000;

function times(n: number): string {
  return n === 1 ? 'once' : `${n} times`;
}

/** The first few items, and whether there are more. */
function listed(incident: Incident): string {
  const items = incident.x ?? [];
  return items.slice(0, 4).join(', ') + (items.length > 4 ? `, … (${distinct(incident)})` : '');
}

function distinct(incident: Incident): string {
  return incident.xm === undefined ? String(incident.x?.length ?? 0) : `more than ${MAX_ITEMS}`;
}

function itemCount(incident: Incident): number {
  return (incident.x?.length ?? 0) + (incident.xm === undefined ? 0 : 1);
}

/** `TITLE (PART): TEXT [ITEMS], N times`. */
const plain: Judge = (i, { node }) => {
  const title = consoleKind(i.k)?.title ?? i.k;
  const part = i.p === undefined ? '' : ` (${i.p})`;
  const text = i.t === undefined || i.t === i.p ? '' : `: ${i.t}`;
  const items = i.x === undefined ? '' : ` [${listed(i)}]`;
  return {
    message: `${node}: ${title}${part}${text}${items}${i.n > 1 ? `, ${times(i.n)}` : ''}`,
    ...(i.x && { values: { items: listed(i) } }),
  };
};

const judges: Record<string, Judge> = {
  kernel_panic(i, { node }) {
    const operator = /sysrq triggered crash/i.test(i.t ?? '');
    const where = i.fn === undefined ? '' : ` in ${i.fn}`;
    const chain = i.ch === undefined ? '' : `, after ${i.ch.map((k) => consoleKind(k)?.title ?? k).join(', ')}`;
    const rebooted = i.rec === undefined ? '' : '; a boot has begun since';
    return {
      ...(operator && { severity: 'warning' as const }),
      message: `${node}: kernel panic${where}${chain}: ${i.t ?? 'no reason given'}${operator ? ' (asked for by an operator)' : ''}${rebooted}`,
      values: {
        reason: i.t ?? null,
        ...(i.fn !== undefined && { function: i.fn }),
        ...((i.ch !== undefined || i.rec !== undefined) && {
          chain: [...(i.ch ?? []), 'kernel_panic', ...(i.rec === undefined ? [] : ['reboot'])].join(' > '),
        }),
      },
    };
  },
  kernel_oops: (i, { node }) => ({
    message: `${node}: kernel oops${i.fn === undefined ? '' : ` in ${i.fn}`}: ${i.t ?? ''}${i.n > 1 ? `, ${times(i.n)}` : ''}`,
    values: { ...(i.fn !== undefined && { function: i.fn }) },
  }),
  kernel_warning: (i, { node }) => ({
    message: `${node}: kernel warnings, ${times(i.n)}: ${i.x === undefined ? (i.t ?? '') : listed(i)}`,
    values: { places: listed(i) },
  }),
  soft_lockup(i, { node }) {
    const stuck = i.m ?? 0;
    return {
      severity: i.n >= 3 || stuck > 60 ? 'critical' : 'warning',
      message: `${node}: soft lockup ${times(i.n)}, CPU ${listed(i) || '?'} stuck for up to ${stuck} s`,
      values: { cpus: itemCount(i), stuck_s: stuck },
    };
  },
  hung_task(i, { node }) {
    const tasks = itemCount(i);
    return {
      severity: tasks >= 5 ? 'critical' : 'warning',
      message: `${node}: ${distinct(i)} hung task${tasks === 1 ? '' : 's'} (${listed(i)}), blocked for up to ${i.m ?? 0} s${i.inc ? '; the kernel reports no more of them' : ''}`,
      values: { tasks, blocked_s: i.m ?? 0 },
    };
  },
  oom(i, { node }) {
    const killed = listed(i) || 'an unnamed task';
    const what = i.p === 'job' ? 'a job hit its memory limit' : `out of memory (${i.p})`;
    return { message: `${node}: ${what} ${times(i.n)}, killed ${killed}`, values: { victims: listed(i) } };
  },
  page_alloc_fail: (i, { node }) => ({
    message: `${node}: page allocation failed ${times(i.n)}, of order ${i.m ?? '?'} at most (${listed(i)})`,
    values: { order: i.m ?? null },
  }),
  hsn_link_down: (i, { node }) => ({
    message: `${node}: HSN link ${i.p} went down ${times(i.n)} and is not up again${i.s === 'info' ? ' (taken down by an operator)' : ''}`,
  }),
  hsn_link_flap: (i, { node }) => ({ message: `${node}: HSN link ${i.p} flaps: lost ${times(i.n)} since it began` }),
  eth_link_down: (i, { node }) => ({ message: `${node}: link of ${i.p} went down ${times(i.n)} and is not up again` }),
  lustre_evicted(i, { node, open }) {
    const targets = open.filter((o) => o.k === 'lustre_evicted' && Math.abs(o.l - i.l) < 10 * MINUTE).length;
    return {
      ...(targets >= 3 && { severity: 'critical' as const }),
      message: `${node}: evicted by Lustre target ${i.p}, ${times(i.n)}${targets > 1 ? `; ${targets} targets within ten minutes` : ''}`,
      values: { targets },
    };
  },
  lustre_conn_lost: (i, { node, now }) => ({
    severity: now - i.l > 5 * MINUTE ? 'warning' : 'info',
    message: `${node}: connection to Lustre target ${i.p} lost ${times(i.n)} and not restored`,
  }),
  nfs_hang: (i, { node, now }) => ({
    severity: now - i.f > 2 * MINUTE ? 'warning' : 'info',
    message: `${node}: NFS server ${i.p} does not respond`,
  }),
  hw_corrected: (i, { node }) => ({
    message: `${node}: corrected hardware errors of ${i.p}, ${times(i.n)}`,
    values: { window_events: i.w?.[1] ?? i.n },
  }),
  gpu_xid: (i, { node }) => ({
    message: `${node}: GPU ${i.p}: ${xids(i)}${i.n > 1 ? `, ${times(i.n)}` : ''}`,
    values: { xid: Number(i.x?.[0] ?? 79), codes: listed(i) || '79' },
  }),
  gpu_app_error: (i, { node }) => ({
    message: `${node}: GPU ${i.p}: ${i.x === undefined ? (i.t ?? 'error') : xids(i)} by an application${i.n > 1 ? `, ${times(i.n)}` : ''}`,
    values: { codes: listed(i) },
  }),
  emergency_shell(i, { node }) {
    const why = i.ch === undefined ? '' : ' after the boot failed';
    return { message: `${node}: stands in an emergency shell${why}${i.rec === undefined ? '' : '; a boot has begun since'}` };
  },
  pxe_failed: (i, { node }) => ({
    severity: i.n >= 3 ? 'critical' : 'warning',
    message: `${node}: network boot failed ${times(i.n)}: ${i.t ?? ''}`,
  }),
  unexpected_reboot: (i, { node }) => ({
    severity: i.n >= 2 ? 'critical' : 'warning',
    message: `${node}: rebooted ${times(i.n)} without shutdown or panic on its console`,
  }),
  console_disconnected: (i, { node }) => ({ message: `${node}: its console is disconnected${i.n > 1 ? `, ${times(i.n)}` : ''}` }),
  suspicious_text: (i, { node }) => ({ message: `${node}: text on the console addresses a language model, ${times(i.n)}` }),
};

function xids(i: Incident): string {
  const codes = i.x ?? ['79'];
  return (
    codes
      .slice(0, 4)
      .map((code) => xidName(Number(code)))
      .join(', ') + (codes.length > 4 ? ', …' : '')
  );
}

/** Without a recovery line these are no longer known to go on after so long; they end by nothing but their own rule. */
const STALE_AFTER = new Map([
  ['hung_task', 30 * MINUTE],
  ['nfs_hang', 60 * MINUTE],
  ['lustre_conn_lost', 60 * MINUTE],
  ['lustre_evicted', 60 * MINUTE],
  ['weka_client', 60 * MINUTE],
  ['thermal', 60 * MINUTE],
]);

/** Severity, message and values of an incident. */
export function judge(incident: Incident, around: Around): Judgement {
  const judgement = (judges[incident.k] ?? plain)(incident, around);
  // The clock goes on while nothing is said, so this is the one value that it may change, and it changes once.
  if (around.now - incident.l > (STALE_AFTER.get(incident.k) ?? Number.POSITIVE_INFINITY))
    judgement.values = { ...judgement.values, stale: true };
  return incident.led === undefined ? judgement : { ...judgement, severity: 'info' };
}
