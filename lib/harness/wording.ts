import type { Finding } from '../model/finding.ts';
import { signIn } from './signs.ts';

const LINK =
  /!?\[[^\]]{0,300}\]\([^)]{0,1000}\)|<?\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s>)]*>?|\b(?:mailto|javascript|data|vbscript|tel):[^\s>)]*|\bwww\.[^\s>)]+|\\\\[\w.-]+\\[^\s]*|\b(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,12}\/[^\s)]*/gi;

/** A text without what a reader's program could follow; nothing of a model's is worth a link. */
export function withoutLinks(text: string): string {
  return text.replaceAll(LINK, '[link removed]');
}

const SOFTENS =
  /\b(?:all (?:is )?(?:clear|good|well|healthy|nominal)|false (?:alarm|positive)|(?:can|may|should|to) be (?:safely )?ignored|safe(?:ly)? (?:to )?ignore|ignore (?:it|this|these|them|the)|no (?:action|problem|issues?|cause for concern|impact)|not? (?:a |an )?(?:real |actual )?(?:problem|issue|concern|critical|serious|urgent)|harmless|benign|(?:already|has been|was|is|are|been) (?:resolved|fixed|repaired|handled)|expected (?:behaviou?r|during|maintenance|until)|(?:is|are|looks?|everything) (?:healthy|fine|ok|nominal|normal|informational)|downgraded?|(?:only|merely|just) (?:info|informational|a warning|cosmetic)|under maintenance|planned (?:work|outage|maintenance)|nothing (?:wrong|to report|is wrong))\b/i;

const CHANGES =
  /\b(?:resolve|ack(?:nowledge)?|silence|mute|close|clear|sudo|rm -|mkfs|dd if=|chmod|chown|kill(?:all)?|reboot|shut ?down|power[ -]?(?:off|on|cycle|down)|reset|restart|reload|resume|drain|undrain|offline|online|delete|remove|format|erase|wipe|flash|update|upgrade|downgrade|install|disable|enable|set|modify|edit|write|replace|reseat|unplug|eject|qdel|qmod|qmgr|pbsnodes -[cor]|scontrol update|systemctl (?:start|stop|restart|mask)|ipmitool|curl|wget|nc|bash|sh -c|python -c|eval|ssh)\b|[|;&]\s*(?:sh|bash)\b|\$\(|`/i;

/** Why a statement is not for a reader to believe, whatever it cites; null where nothing speaks against its wording. */
export function objectionTo(text: string, findings: readonly Finding[]): string | null {
  if (signIn(text) !== null) return 'speaks to a model, not of the cluster';
  const over = findings.length > 0 && findings.every((f) => f.state === 'resolved');
  const softens = SOFTENS.exec(text)?.[0];
  return softens !== undefined && !over ? `plays down: ${softens}` : null;
}

/** Whether a check changes what it looks at: what a person does next is decided by our hints, not by a model. */
export function changesSomething(check: string): boolean {
  return CHANGES.test(check);
}
