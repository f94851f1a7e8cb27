import type { Severity } from '../../model/condition.ts';

/** What a rule's line does beside raising an event: marks of the node's own course. */
export type Mark =
  | 'boot'
  | 'crash_kernel'
  | 'command_line'
  | 'userspace'
  | 'boot_complete'
  | 'shutdown'
  | 'function'
  | 'end_of_block'
  | 'oom_begins'
  | 'oom_scope'
  | 'dropped'
  | 'repeated'
  | 'hung_task_silenced'
  | 'administrative_link'
  | 'gpu_reset'
  | 'gpu_named'
  | 'console_up';

/**
 * One line of knowledge about console texts, as data: a line that holds one of the literals is matched, and is an event
 * of the kind unless the veto speaks against it.
 *
 * Named groups of `match`: `part` (identity within the kind), `item` (one of several that an incident lists: a task, a
 * CPU, a victim), `max` (a number whose maximum is kept), `n` (how many events the line stands for), `text` (what is said); alternatives
 * name theirs `part2`, `part3`, ….
 */
export interface Rule {
  id: string;
  /** The kind that the line is an event of; absent for rules that only mark or clear. */
  kind?: string;
  /**
   * One of these stands in every line that the rule is for: at least six ASCII characters each, prefixes of the line
   * included; `\n` is the begin of the line.
   */
  literals: readonly string[];
  /**
   * Who must be speaking: the kernel; the kernel behind its clock or log level, for words that programs use as well; or
   * anyone whose text is not forwarded or quoted.
   */
  from: 'kernel' | 'clocked kernel' | 'console';
  match: RegExp;
  veto?: RegExp;
  /** Where it differs from the kind's own. */
  severity?: Severity;
  /** The part where the text names none. */
  part?: string;
  /** Kinds of which the same part is over with this line. */
  clears?: readonly string[];
  mark?: Mark;
  /** Lines of one block count once: a line of the same block within this many seconds adds no event. */
  block?: number;
  /** Of the site's configuration: it is tried after all others, on a bounded text, and beside the first that speaks. */
  site?: true;
  /** Raw console lines (prefixes included) that the rule must and must not speak to. */
  examples: { yes: readonly string[]; no: readonly string[] };
}
