/** oauth2-mock-server, which issues a token to any client: ES256 as here. */
import { createServer } from 'node:http';
import { OAuth2Issuer, OAuth2Service } from 'oauth2-mock-server';
import { announce } from './announce.mjs';

const issuer = new OAuth2Issuer();
issuer.url = 'http://127.0.0.1';
await issuer.keys.generate('ES256');
announce(createServer(new OAuth2Service(issuer).requestHandler).listen(0, '127.0.0.1'));
