import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/*
 * Certificates that a test makes for itself: X.509 v3 (RFC 5280) in DER, signed with ECDSA over P-256.
 */

const OID = { ecdsaSha256: '2a8648ce3d040302', commonName: '550403', basicConstraints: '551d13', subjectAltName: '551d11' };

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const n = content.length;
  const length = n < 128 ? [n] : n < 256 ? [0x81, n] : [0x82, n >> 8, n & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const name = (text: string): Buffer => sequence(der(0x31, sequence(oid(OID.commonName), der(0x0c, Buffer.from(text)))));
const time = (text: string): Buffer => der(0x18, Buffer.from(text));
const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), der(0x01, Buffer.from([255])), der(0x04, value));

export interface Certificate {
  pem: string;
  key: KeyObject;
  name: string;
}

function certificate(subject: string, extensions: Buffer[], issuer?: Certificate): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(OID.ecdsaSha256));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([issuer ? 2 : 1])),
    algorithm,
    name(issuer?.name ?? subject),
    sequence(time('20200101000000Z'), time('20991231235959Z')),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', content, issuer?.key ?? privateKey);
  const whole = sequence(content, algorithm, der(0x03, Buffer.from([0]), signature));
  const pem = `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  return { pem, key: privateKey, name: subject };
}

/** An authority of a site's own. */
export function authority(subject: string): Certificate {
  return certificate(subject, [extension(OID.basicConstraints, sequence(der(0x01, Buffer.from([255]))))]);
}

/** A server at 127.0.0.1, vouched for by an authority. */
export function serverAt127(issuer: Certificate): Certificate {
  return certificate('server.test', [extension(OID.subjectAltName, sequence(der(0x87, Buffer.from([127, 0, 0, 1]))))], issuer);
}
