import type { Severity, Values } from '../../model/condition.ts';
import type { Incident } from './state.ts';
import { xidName } from './xid.ts';

/** What an incident is worth telling, given the clock and the node's other incidents. */
export interface Judgement {
  severity?: Severity;
  message: string;
  values?: Values;
}

export interface Around {
  /** The log's clock at the end, ms. */
  now: number;
  open: readonly Incident[];
  node: string;
}

const MINUTE = 60_000;

function times(n: number): string {
  return n === 1 ? 'once' : `${n} times`;
}

function listed(incident: Incident): string {
  const items = incident.x ?? [];
  if (items.length === 0) return '';
  return `${items.slice(0, 4).join(', ')}${items.length > 4 || incident.xm !== undefined ? ', …' : ''}`;
}

function itemCount(incident: Incident): number {
  return (incident.x?.length ?? 0) + (incident.xm === undefined ? 0 : 1);
}

type Judge = (incident: Incident, around: Around) => Judgement;

const said =
  (what: string): Judge =>
  (i, { node }) => ({
    message: `${node}: ${what}${i.p === undefined ? '' : ` ${i.p}`}${i.t ? `: ${i.t}` : ''}${i.n > 1 ? ` (${times(i.n)})` : ''}`,
  });

const judges: Record<string, Judge> = {
  kernel_panic(i, { node }) {
    const operator = /sysrq triggered crash/i.test(i.t ?? '');
    const where = i.fn === undefined ? '' : ` in ${i.fn}`;
    const chain = i.ch === undefined ? '' : `, after ${i.ch.map((k) => k.replaceAll('_', ' ')).join(', ')}`;
    const rebooted = i.rec === undefined ? '' : '; a boot has begun since';
    return {
      ...(operator && { severity: 'warning' as const }),
      message: `${node}: kernel panic${where}${chain}: ${i.t ?? 'no reason given'}${operator ? ' (asked for by an operator)' : ''}${rebooted}`,
      values: {
        ...(i.fn !== undefined && { function: i.fn }),
        ...(i.ch !== undefined && { chain: [...i.ch, 'kernel_panic', ...(i.rec === undefined ? [] : ['reboot'])].join(' > ') }),
      },
    };
  },
  kernel_oops: (i, { node }) => ({
    message: `${node}: kernel oops${i.fn === undefined ? '' : ` in ${i.fn}`}: ${i.t ?? ''}${i.n > 1 ? ` (${times(i.n)})` : ''}`,
    values: { ...(i.fn !== undefined && { function: i.fn }) },
  }),
  soft_lockup(i, { node }) {
    const severe = i.n >= 3 || (i.m ?? 0) > 60;
    return {
      severity: severe ? 'critical' : 'warning',
      message: `${node}: soft lockup ${times(i.n)}, CPU ${listed(i)} stuck for up to ${i.m ?? 0} s`,
      values: { cpus: itemCount(i), stuck_s: i.m ?? 0 },
    };
  },
  hung_task(i, { node }) {
    const tasks = itemCount(i);
    return {
      severity: tasks >= 5 ? 'critical' : 'warning',
      message: `${node}: ${tasks} hung task${tasks === 1 ? '' : 's'} (${listed(i)}), blocked for up to ${i.m ?? 0} s`,
      values: { tasks, blocked_s: i.m ?? 0 },
    };
  },
  oom: (i, { node }) => ({
    message:
      i.p === 'job'
        ? `${node}: a job hit its memory limit ${times(i.n)}, killed ${listed(i) || 'an unnamed task'}`
        : `${node}: out of memory (${i.p}) ${times(i.n)}, killed ${listed(i) || 'an unnamed task'}`,
    values: { victims: listed(i) },
  }),
  hsn_link_down(i, around) {
    const down = around.now - i.l;
    return {
      severity: down > 5 * MINUTE ? 'critical' : i.s,
      message: `${around.node}: HSN link ${i.p} went down ${times(i.n)} and is not up again`,
      values: { down_s: Math.round(down / 1000) },
    };
  },
  hsn_link_flap: (i, { node }) => ({ message: `${node}: HSN link ${i.p} flaps: lost ${times(i.n)}` }),
  eth_link_down: (i, { node }) => ({ message: `${node}: link of ${i.p} went down ${times(i.n)} and is not up again` }),
  gpu_xid: (i, { node }) => ({
    message: `${node}: GPU ${i.p}: ${(i.x ?? [])
      .slice(0, 4)
      .map((c) => xidName(Number(c)))
      .join(', ')}, ${times(i.n)}`,
    values: { xid: Number(i.x?.[0] ?? 0), codes: listed(i) },
  }),
  gpu_app_error: (i, { node }) => ({
    message: `${node}: GPU ${i.p}: ${(i.x ?? [])
      .slice(0, 4)
      .map((c) => xidName(Number(c)))
      .join(', ')} by an application, ${times(i.n)}`,
    values: { xid: Number(i.x?.[0] ?? 0), codes: listed(i) },
  }),
  unexpected_reboot: (i, { node }) => ({
    severity: i.n >= 2 ? 'critical' : 'warning',
    message: `${node}: rebooted ${times(i.n)} without shutdown or panic on its console`,
  }),
  kdump: said('crash kernel ran'),
  console_disconnected: (i, { node }) => ({ message: `${node}: its console is disconnected` }),
};

const TITLES: Record<string, string> = {
  kernel_bug: 'kernel bug report',
  kernel_warning: 'kernel warning',
  hard_lockup: 'hard lockup',
  rcu_stall: 'RCU stall',
  page_alloc_fail: 'page allocation failures',
  emergency_shell: 'boot stopped in an emergency shell',
  boot_failed: 'boot failed',
  fs_error: 'file system error on',
};

/** Severity, message and values of an incident. */
export function judge(incident: Incident, around: Around): Judgement {
  const own = judges[incident.k] ?? said(TITLES[incident.k] ?? incident.k.replaceAll('_', ' '));
  const judgement = own(incident, around);
  return incident.led ? { ...judgement, severity: 'info' } : judgement;
}
