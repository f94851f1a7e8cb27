import { oneLine } from '../../model/text.ts';

/** The longest stored quote. */
const MAX_QUOTE = 300;

/*
 * What is never stored: secrets that were typed or printed on a console, keys, and names of people. Serial lines show
 * typed passwords, boot parameters with join tokens, host keys and who attached to a console.
 */
const REDACTIONS: readonly (readonly [RegExp, string])[] = [
  [/-----(?:BEGIN|END) [A-Z0-9 ]{0,40}-----.*/g, '[key removed]'],
  [/\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-ssh-ed25519@openssh\.com) [A-Za-z0-9+/=]{16,}.*/g, '[key removed]'],
  [/\b(?:SHA256:[A-Za-z0-9+/=]{20,}|(?:MD5:)?[0-9a-f]{2}(?::[0-9a-f]{2}){15})/g, '[fingerprint removed]'],
  [/\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}/g, '[token removed]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, '[key removed]'],
  [/\$(?:1|2[aby]|5|6|y)\$[./A-Za-z0-9$=,]{8,}/g, '[hash removed]'],
  [/\b((?:proxy-)?authorization: *(?:basic|bearer|negotiate|token)? *)\S+/gi, '$1[removed]'],
  [/\b(bearer +)[A-Za-z0-9._~+/=-]{8,}/gi, '$1[removed]'],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/:@]{1,128}(?::[^\s/@]{0,256})?@/gi, '$1[removed]@'],
  [
    /((?:pass(?:word|wd|phrase|code)?|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|community|psk)["']?(?:\s?[=:]\s?|\s+is\s+))("[^"]{0,256}"?|'[^']{0,256}'?|[^\s,;&]+)/gi,
    '$1[removed]',
  ],
  [/(\s-{1,2}(?:p|pass(?:word)?|token|secret)[ =])\S+/gi, '$1[removed]'],
  [/([Pp]assword(?: for [^\s:]{1,64})?: ?)\S.*/g, '$1[removed]'],
  [/^([\w.-]{1,64} login: )\S.*/g, '$1[user]'],
  [
    /\b(for (?:invalid )?user |session (?:opened|closed) for user |user[= :]'?)(?!space|mode|process|memory|data|access|page|limit)[A-Za-z_][\w.-]{0,63}/gi,
    '$1[user]',
  ],
  [/\b((?:LOGNAME|USER|SUDO_USER|RUSER|ruser|logname|auid|acct)=)"?[^\s"]{1,64}"?/g, '$1[user]'],
  [/\bsudo(\[\d{1,10}\])?: +[A-Za-z_][\w.-]{0,63} :/g, 'sudo$1: [user] :'],
  // Instances of units and addresses of Lustre networks have an @ as well.
  [
    /<?\b[A-Za-z_][\w.-]{0,63}@(?!(?:o2ib|tcp|kfi|gni)\d{0,4}\b|[\w:.\\-]{0,64}\.(?:service|mount|socket|device|target|timer|scope|slice|swap|path)\b)(?:\[?[A-Za-z0-9][\w.:-]{0,127}\]?)>?(?=[\s:.,)\]]|$)/g,
    '[user]@[host]',
  ],
  [/\/home\/[A-Za-z_][\w.-]{0,63}/g, '/home/[user]'],
];

/** A text without secrets, keys and names of people. */
export function withoutSecrets(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of REDACTIONS) clean = clean.replace(pattern, replacement);
  return clean;
}

/** A console text as it may be stored and shown: one bounded line without secrets, keys and people's names. */
export function redact(text: string): string {
  const line = oneLine(withoutSecrets(text.slice(0, 2000)), MAX_QUOTE);
  return text.length > 2000 ? `${line}…` : line;
}
