import * as z from 'zod';
import { fold } from '../../nodeset.ts';
import { type Collected, type CollectContext, defineCollector, type Input, UnusableInput } from '../../model/collector.ts';
import { type Subject, subjectKey } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import type { CoverageProblem } from '../../model/snapshot.ts';
import { compareNames } from '../../model/text.ts';
import { Duration, parseDuration, toIso } from '../../model/time.ts';
import { gather, type Gathered, listProblems, readingTime } from '../oneview/gather.ts';
import { AUTH, VERSION } from '../oneview/request.ts';
import { type Alert, ALERT_SUBJECTS, readAlert } from './alert.ts';
import { alertConditions, clearedDrafts } from './conditions.ts';
import { familiesOf } from './families.ts';
import { kinds } from './kinds.ts';
import { judgeScope } from './scope.ts';
import { burstConditions, burstsOf } from './storms.ts';
import { summarise } from './summary.ts';

const Options = z.object({
  /** The site's dumps always hold every open alert, so that a bare list proves what is not in it. */
  whole_dumps: z.boolean().default(false),
  /** How old a Locked alert may be before the summary lists it. */
  locked_after: Duration.default(parseDuration('24h')),
});
type Options = z.infer<typeof Options>;

/** Up to when cleared alerts have been handed on, ISO. */
const Carry = z.object({ clearedUntil: z.iso.datetime().nullable() });
type Carry = z.infer<typeof Carry>;

const FIRST_SIGHT = parseDuration('24h');
const DEFAULT_STORM = 50;

const WANTED = { main: 'alerts', beside: [], nothing: 'no alert of OneView is in the input' } as const;

/** Two requests: asked for Active alone, OneView leaves the Locked ones out; asked for all, it sends years of Cleared ones. */
function alertsIn(state: string): string {
  return `/rest/alerts?start=0&count=500&sort=created:descending&filter=${encodeURIComponent(`"alertState='${state}'"`)}`;
}

/**
 * HPE OneView's alerts: pages of `GET /rest/alerts` as one file or a folder of them, `{members}` envelopes, bare arrays,
 * single alerts, messages of the bus (SCMB). Formats: HPE OneView REST API and HPE's published mock-ups.
 */
export const oneviewAlerts = defineCollector<Options, Carry>({
  source: 'oneview_alerts',
  title: 'HPE OneView: open hardware alerts, Locked ones included',
  maxAge: '15m',
  inputs: {
    shape: 'documents',
    endpoints: [
      { role: 'active', path: alertsIn('Active'), paging: 'oneview' },
      { role: 'locked', path: alertsIn('Locked'), paging: 'oneview' },
    ],
    auth: AUTH,
    version: VERSION,
  },
  options: Options,
  carryVersion: 1,
  carry: Carry,
  kinds,
  collect,
});

async function collect(inputs: readonly Input[], context: CollectContext<Options, Carry>): Promise<Collected<Carry>> {
  const gathered = await gather(inputs, WANTED);
  const rejected = [...gathered.rejected];
  const alerts = readAll([...(gathered.resources.get('alerts') ?? []), ...gathered.deleted], rejected, context.nodeDomains);
  const first = rejected[0];
  if (alerts.length === 0 && first)
    throw new UnusableInput(first.message, {
      ...(first.input !== undefined && { input: first.input }),
      ...(first.place !== undefined && { place: first.place }),
    });

  const open = alerts.filter((a) => a.open);
  const families = familiesOf(open);
  const { at, byClock } = readingTime(inputs, context, gathered.newestEvent);
  const bursts = burstsOf(alerts, stormThreshold(context), at);
  const scope = judgeScope(gathered, alerts, context.config.whole_dumps);
  const conditions = [...alertConditions(families, context.now), ...burstConditions(bursts)];
  const since = context.carry?.clearedUntil ?? null;
  const after = since === null ? at - FIRST_SIGHT : Date.parse(since);
  const cleared = clearedDrafts(alerts, open, after, context.now);
  return {
    summary: summarise({
      alerts,
      families,
      conditions,
      bursts,
      completeness: gathered.completeness,
      complete: scope.complete,
      at,
      lockedAfter: context.config.locked_after,
    }),
    conditions,
    cleared,
    coverage: {
      records: gathered.records,
      rejected: rejected.length,
      problems: listProblems([...gathered.problems, ...scope.problems], rejected),
      observed: scope.complete ? observedOf(gathered, alerts) : {},
    },
    ...(gathered.newestEvent !== null && { asOf: gathered.newestEvent }),
    facts: factsOf(open),
    series: seriesOf(open),
    // An appliance whose clock is ahead has said what is yet to come.
    ...(!byClock && { turns: alerts.flatMap((a) => [a.created ?? 0, a.clearedAt ?? 0]) }),
    carry: { clearedUntil: newestClear(alerts, after, context.now) },
  };
}

function readAll(resources: Gathered['deleted'], rejected: CoverageProblem[], nodeDomains: readonly string[]): Alert[] {
  return resources.flatMap((resource) => {
    const result = readAlert(resource, nodeDomains);
    if (typeof result !== 'string') return [result];
    rejected.push({ effect: 'record', input: resource.input, ...(resource.place !== '' && { place: resource.place }), message: result });
    return [];
  });
}

function stormThreshold({ rules }: CollectContext<Options, Carry>): number {
  const threshold = rules['alert_storm']?.['threshold'];
  return typeof threshold === 'number' && threshold >= 2 ? threshold : DEFAULT_STORM;
}

/** Of a whole set every resource was observed; of a pushed one those that it speaks of. */
function observedOf({ pushed }: Gathered, alerts: readonly Alert[]): Record<string, string> {
  const types = ALERT_SUBJECTS.map(
    (type) => [type, pushed ? fold(alerts.flatMap((a) => (a.subject.type === type ? [a.subject.id] : []))) : 'all'] as const,
  );
  return Object.fromEntries(types.filter(([, set]) => set !== ''));
}

function newestClear(alerts: readonly Alert[], after: number, now: number): string {
  const times = alerts.flatMap((a) => (a.open || a.clearedAt === null || a.clearedAt > now ? [] : [a.clearedAt]));
  return toIso(times.reduce((a, b) => Math.max(a, b), Math.max(0, after)));
}

/** How many alerts are open on each resource, so that a node's page shows them; servers keep the UUID that joins them. */
function factsOf(open: readonly Alert[]): { subject: Subject; facts: JsonObject }[] {
  const bySubject = new Map<string, Alert[]>();
  for (const alert of open) {
    const key = subjectKey(alert.subject);
    const known = bySubject.get(key);
    if (known) known.push(alert);
    else bySubject.set(key, [alert]);
  }
  return [...bySubject.values()]
    .map((alerts) => {
      const { subject } = alerts[0] as Alert;
      const uuid = alerts.flatMap((a) => a.serverUuid ?? []).sort(compareNames)[0];
      const of = (severity: string): number => alerts.filter((a) => a.severity === severity).length;
      const facts: JsonObject = {
        alerts: alerts.length,
        critical: of('critical'),
        warning: of('warning'),
        locked: alerts.filter((a) => a.state.toLowerCase() === 'locked').length,
        ...(uuid !== undefined && { uuid }),
      };
      return { subject, facts };
    })
    .sort((a, b) => compareNames(subjectKey(a.subject), subjectKey(b.subject)));
}

function seriesOf(open: readonly Alert[]): Record<string, number> {
  return {
    open: open.length,
    critical: open.filter((a) => a.severity === 'critical').length,
    warning: open.filter((a) => a.severity === 'warning').length,
    locked: open.filter((a) => a.state.toLowerCase() === 'locked').length,
  };
}
