import { isKnownDown } from '../background.ts';
import { benignSaying, bootLines, type Line, POWER_OFF_LINES, type Saying, SHUTDOWN_LINES } from '../console-texts.ts';
import { COMPUTE } from '../images.ts';
import type { LocalClock } from '../local-clock.ts';
import { BOOT_BEGINS, bootedAt, isSilenced, type Plan, stateOf, type Trouble } from '../plan.ts';
import { draw, Random } from '../random.ts';
import { HOUR } from '../spec.ts';
import type { SourceFile, Tick } from '../tick.ts';
import type { Node } from '../topology.ts';

/*
 * Console logs: conserver's for liquid-cooled nodes (no stamps but its own marks), conman's for air-cooled ones (a stamp
 * before each line). They are appended to from look to look, and never written anew.
 */

const MARK = 900_000;
/** What the first look finds. */
const HISTORY = 2 * HOUR;
/** The share of nodes that booted within the history. */
const BOOTED_LATELY = 0.1;
/** How often a healthy node says something in an hour. */
const TALK = 0.012;

export function* consoleFiles(tick: Tick): Iterable<SourceFile> {
  const { plan, at, before, clock } = tick;
  const from = before ?? plan.spec.start - HISTORY;
  const marks = marksIn(from, at).map((mark) => ({ mark, text: `[-- MARK -- ${clock.ctime(mark)}]\r\n` }));
  const allMarks = marks.map((m) => m.text).join('');
  const sayings = faultSayings(plan);
  for (const node of plan.topology.nodes) {
    const said = sayingsIn(tick, node, from, sayings.get(node.name) ?? []);
    const conman = node.cooling === 'air';
    const text = conman ? conmanText(node, said, tick, from) : said.length === 0 ? allMarks : conserverText(node, said, marks, plan);
    if (text === '') continue;
    const last = Math.max(marks.at(-1)?.mark ?? 0, said.at(-1)?.at ?? 0);
    yield {
      path: `consoles/${conman ? 'console.' : ''}${node.name}`,
      text: [text],
      mtime: Math.min(at, last === 0 ? at : last),
      append: true,
    };
  }
}

function marksIn(from: number, to: number): number[] {
  const marks: number[] = [];
  for (let mark = Math.floor(from / MARK) * MARK + MARK; mark <= to; mark += MARK) marks.push(mark);
  return marks;
}

function faultSayings(plan: Plan): Map<string, Saying[]> {
  const byNode = new Map<string, Saying[]>();
  for (const fault of plan.faults) {
    const { effects } = fault;
    for (const { node, at, lines, clock } of effects.console ?? []) {
      if (isSilenced(plan, node, fault, at)) continue;
      // Nothing but a boot brings the prompt back to a node that died with these words.
      const prompt = effects.nodes?.get(node)?.loss !== 'dead';
      const saying: Saying = { at, by: clock === 'own' ? 'console' : 'kernel', lines, prompt };
      const known = byNode.get(node);
      if (known) known.push(saying);
      else byNode.set(node, [saying]);
    }
  }
  return byNode;
}

/** Everything that is said after `from` and up to the look, in the order of time. */
function sayingsIn({ plan, at, before }: Tick, node: Node, from: number, ofFaults: readonly Saying[]): Saying[] {
  const said: Saying[] = before === null ? history(plan, node, from) : [];
  for (const saying of ofFaults) if (saying.at > from && saying.at <= at) said.push(saying);
  for (const trouble of plan.troubles.get(node.name) ?? []) said.push(...turns(node, trouble).filter((s) => s.at > from && s.at <= at));
  const { start } = plan.spec;
  for (let hour = Math.floor((from - start) / HOUR); start + hour * HOUR <= at; hour++) {
    if (draw(node.luck, 'talk', hour) >= TALK * plan.spec.noise) continue;
    const random = new Random(node.luck, 'talk', hour, 'what');
    // Between two marks, and long enough before the hour ends that what begins then is over.
    const moment = start + hour * HOUR + random.int(1, 50) * 60_000 + random.int(1, 40) * 1000;
    if (moment <= from || moment > at) continue;
    const { loss } = stateOf(plan, node, moment);
    // A node without fabric has no link that comes and goes.
    if (loss === null) said.push(benignSaying(node, moment, random));
  }
  return said.length < 2 ? said : said.sort((a, b) => a.at - b.at);
}

/** What stands in the log when the console server is first looked at. */
function history(plan: Plan, node: Node, from: number): Saying[] {
  if (isKnownDown(node)) return [{ at: from, by: 'kernel', lines: POWER_OFF_LINES, prompt: false }];
  if (draw(node.luck, 'booted lately') >= BOOTED_LATELY) return [];
  return [{ at: from, by: 'console', lines: bootLines(node, COMPUTE), prompt: true }];
}

/** How a node goes down and comes up with a trouble. */
function turns(node: Node, { loss, begins, ends, booted, from, until }: Trouble): Saying[] {
  const said: Saying[] = [];
  const boot = (at: number, image = COMPUTE as { name: string; kernel: string }): void => {
    said.push({ at: at + BOOT_BEGINS, by: 'console', lines: bootLines(node, image), prompt: true });
  };
  const shutDown = (at: number): void => void said.push({ at, by: 'kernel', lines: SHUTDOWN_LINES, prompt: false });
  const server = (at: number, word: string): void =>
    void (node.cooling === 'air' && said.push({ at, by: 'server', lines: [word], prompt: false }));
  if (begins !== undefined) {
    if (begins === 'reboot') shutDown(from);
    boot(from, booted === undefined ? COMPUTE : { name: booted.image, kernel: booted.kernel });
  }
  if (loss === 'off') server(from, `disconnected from <${node.board}>`);
  if (!Number.isFinite(until)) return said;
  if (loss === 'off') server(until, `connected to <${node.board}>`);
  if (ends === 'reboot') shutDown(until);
  if (ends !== undefined) boot(until);
  return said;
}

/** The lines of a saying with the time of each, the kernel's clock before those that are its own. */
function timed(saying: Saying, plan: Plan, node: Node): { at: number; text: string }[] {
  let at = saying.at;
  return saying.lines.map((line: Line, i) => {
    const [after, text] = typeof line === 'string' ? [i * 0.4, line] : line;
    at = Math.max(at, saying.at + after);
    if (saying.by !== 'kernel') return { at: saying.at + i * 1000, text };
    const uptime = (at - bootedAt(plan, node, saying.at - 1)) / 1000;
    return { at, text: `[${uptime.toFixed(6).padStart(12)}] ${text}` };
  });
}

function conserverText(node: Node, said: readonly Saying[], marks: readonly { mark: number; text: string }[], plan: Plan): string {
  let text = '';
  let next = 0;
  for (const saying of said) {
    for (; next < marks.length && (marks[next]?.mark as number) < saying.at; next++) text += marks[next]?.text;
    if (saying.by === 'server') continue;
    for (const line of timed(saying, plan, node)) text += `${line.text}\r\n`;
    if (saying.prompt) text += `${node.name} login: `;
  }
  for (; next < marks.length; next++) text += marks[next]?.text;
  return text;
}

/** conman stamps every line of the node, and writes a line of its own at every full hour. */
function conmanText(node: Node, said: readonly Saying[], { plan, at, before, clock }: Tick, from: number): string {
  const own = (word: string): string => `\r\n<ConMan> Console [${node.name}] ${word}.\r\n`;
  let text = before === null ? own(`log opened at ${clock.stamp(from)} ${clock.zone(from)}`).slice(2) : '';
  let hour = Math.floor(from / HOUR) + 1;
  const hoursUntil = (moment: number): void => {
    for (; hour * HOUR <= moment; hour++) text += own(`log at ${clock.stamp(hour * HOUR)} ${clock.zone(hour * HOUR)}`);
  };
  for (const saying of said) {
    hoursUntil(saying.at);
    if (saying.by === 'server') text += own(`${saying.lines[0] as string} at ${clock.short(saying.at)}`);
    else text += conmanLines(node, saying, plan, clock);
  }
  hoursUntil(at);
  return text;
}

function conmanLines(node: Node, saying: Saying, plan: Plan, clock: LocalClock): string {
  const lines = timed(saying, plan, node);
  const last = lines.at(-1)?.at ?? saying.at;
  const stamped = (at: number, line: string): string => (line === '' ? '\r\n' : `${clock.stamp(at)} ${line}\r\n`);
  return lines.map((line) => stamped(line.at, line.text)).join('') + (saying.prompt ? stamped(last, `${node.name} login:`) : '');
}
