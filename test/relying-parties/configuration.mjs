/** What the test gives to an application: the issuer, a client of it, and the port. */
import process from 'node:process';

export function readConfiguration() {
  const { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT: port } = process.env;
  return { issuer, clientId, clientSecret, port: Number(port), url: `http://127.0.0.1:${port}` };
}
