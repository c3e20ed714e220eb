/**
 * An application behind the service: `GET /hello` greets the caller of a valid access token. It verifies tokens with the
 * public keys of the service, so it needs no credentials. Node has all it uses.
 */
import { createPublicKey, verify } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';

const { IAM_URL = 'http://127.0.0.1:8080', IAM_ISSUER = IAM_URL, PORT = '3000', HOST = '127.0.0.1' } = process.env;

const decode = (part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));

/** Milliseconds. Anyone can send tokens with unknown key ids. */
const fetchPause = 10_000;
let keys = [];
let fetchedAt = Number.NEGATIVE_INFINITY;

/** The service publishes a new key before it signs with it, so the keys are fetched again for an unknown id. */
async function findKey(keyId) {
  const isKnown = keys.some(({ kid }) => kid === keyId);
  if (!isKnown && performance.now() - fetchedAt > fetchPause) {
    fetchedAt = performance.now();
    ({ keys } = await (await fetch(`${IAM_URL}/.well-known/jwks.json`)).json());
  }
  return keys.find(({ kid }) => kid === keyId);
}

/** Returns the claims of an access token (RFC 9068, 4); undefined if it is not valid here and now. */
async function readToken(token) {
  const [header, payload, signature] = token.split('.');
  const { alg, kid, typ } = decode(header);
  // The default algorithm of the service: never the one that a token asks for.
  if (alg !== 'ES256' || typ !== 'at+jwt') return undefined;
  const key = await findKey(kid);
  if (key === undefined) return undefined;
  const publicKey = { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' };
  if (!verify('sha256', Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url')))
    return undefined;
  const claims = decode(payload);
  // The issuer is the audience of its tokens, too.
  const isOurs = claims.iss === IAM_ISSUER && claims.aud === IAM_ISSUER;
  return isOurs && claims.exp * 1000 > Date.now() ? claims : undefined;
}

/** Bytes: a token of the service has up to 32 KiB (its setting max-token). Node accepts 16 KiB of headers by default. */
const maxHeaderSize = 40 * 1024;

const server = createServer({ maxHeaderSize }, async (request, response) => {
  const [, token = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const claims = await readToken(token).catch(() => undefined);
  const [status, body] = claims ? [200, { hello: claims.sub }] : [401, { error: 'A valid access token is required.' }];
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
});

server.listen(Number(PORT), HOST, () => process.stdout.write(`http://${HOST}:${server.address().port}\n`));
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
