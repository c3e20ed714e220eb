/** json-server with the groups of the file in its first argument, which it writes again with each change. */
import process from 'node:process';
import jsonServer from 'json-server';
import { announce } from './announce.mjs';

const app = jsonServer.create();
app.use(jsonServer.bodyParser);
app.use(jsonServer.router(process.argv[2]));
announce(app.listen(0, '127.0.0.1'));
