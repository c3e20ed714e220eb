/**
 * An application behind the service: `GET /hello` greets the caller of a valid access token. It verifies tokens with the
 * public keys of the service, so it needs no credentials. Node has all it uses.
 */
import { createPublicKey, verify } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';

const { IAM_URL = 'http://127.0.0.1:8080', IAM_ISSUER = IAM_URL, PORT = '3000', HOST = '127.0.0.1' } = process.env;

const decode = (part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));

async function findKey(keyId) {
  const { keys } = await (await fetch(`${IAM_URL}/.well-known/jwks.json`)).json();
  return keys.find(({ kid }) => kid === keyId);
}

/** Returns the claims of a token; undefined if it is not valid here and now. */
async function readToken(token) {
  const [header, payload, signature] = token.split('.');
  const { alg, kid } = decode(header);
  const key = await findKey(kid);
  // The default algorithm of the service: never the one that a token asks for.
  if (alg !== 'ES256' || key === undefined) return undefined;
  const publicKey = { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' };
  if (!verify('sha256', Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url')))
    return undefined;
  const claims = decode(payload);
  return claims.iss === IAM_ISSUER && claims.exp * 1000 > Date.now() ? claims : undefined;
}

const server = createServer(async (request, response) => {
  const [, token = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const claims = await readToken(token).catch(() => undefined);
  const [status, body] = claims ? [200, { hello: claims.sub }] : [401, { error: 'A valid access token is required.' }];
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
});

server.listen(Number(PORT), HOST);
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
