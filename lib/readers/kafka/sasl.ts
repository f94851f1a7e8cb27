import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Credentials {
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  username: string;
  password: string;
}

/** One message to the server, and its reply. */
export type Exchange = (message: Buffer) => Promise<Buffer>;

/** A server that does not keep to the mechanism; it may be another one than it seems. */
export class Distrusted extends Error {
  override name = 'Distrusted';
}

/** A server that asks for more rounds than this wants to keep us busy. */
const MAX_ROUNDS = 1_000_000;
/** RFC 5802 and 7677: fewer would let whoever listens try passwords cheaply. */
const MIN_ROUNDS = 4096;

/** Speaks a mechanism to its end. @throws Distrusted; what the exchange throws goes through */
export async function authenticate(
  credentials: Credentials,
  exchange: Exchange,
  nonce = randomBytes(18).toString('base64'),
): Promise<void> {
  const { mechanism, username, password } = credentials;
  if (mechanism === 'plain') await exchange(Buffer.from(`\0${username}\0${password}`, 'utf8'));
  else await scram(mechanism === 'scram-sha-256' ? 'sha256' : 'sha512', { username, password, nonce }, exchange);
}

/** SCRAM, RFC 5802, without channel binding. */
async function scram(
  hash: 'sha256' | 'sha512',
  user: { username: string; password: string; nonce: string },
  exchange: Exchange,
): Promise<void> {
  const name = user.username.replaceAll('=', '=3D').replaceAll(',', '=2C');
  const clientFirst = `n=${name},r=${user.nonce}`;
  const serverFirst = (await exchange(Buffer.from(`n,,${clientFirst}`, 'utf8'))).toString('utf8');
  const { r: nonce = '', s: salt = '', i = '' } = attributes(serverFirst);
  const rounds = /^\d{1,9}$/.test(i) ? Number(i) : 0;
  if (!nonce.startsWith(user.nonce) || nonce.length === user.nonce.length || salt === '' || rounds < MIN_ROUNDS || rounds > MAX_ROUNDS)
    throw new Distrusted('does not answer as SCRAM wants it');
  const salted = pbkdf2Sync(user.password, Buffer.from(salt, 'base64'), rounds, hash === 'sha256' ? 32 : 64, hash);
  const hmac = (key: Buffer, text: string): Buffer => createHmac(hash, key).update(text, 'utf8').digest();
  const clientKey = hmac(salted, 'Client Key');
  const finalBare = `c=biws,r=${nonce}`;
  const transcript = `${clientFirst},${serverFirst},${finalBare}`;
  const signature = hmac(createHash(hash).update(clientKey).digest(), transcript);
  const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] as number)));
  const serverFinal = (await exchange(Buffer.from(`${finalBare},p=${proof.toString('base64')}`, 'utf8'))).toString('utf8');
  const given = Buffer.from(attributes(serverFinal)['v'] ?? '', 'base64');
  const expected = hmac(hmac(salted, 'Server Key'), transcript);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Distrusted('does not know the password itself');
}

function attributes(text: string): Record<string, string | undefined> {
  return Object.fromEntries(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}
