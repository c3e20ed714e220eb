/** HAProxy before the servers. */
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Daemon, unprivilegedUser } from './daemon.ts';
import type { FailoverPrograms } from './programs.ts';

/** A server takes part while its process lives: without a database it answers 503 itself. */
const healthPath = '/healthz';

export function startBalancer(
  programs: FailoverPrograms,
  folder: string,
  port: number,
  serverPorts: readonly number[],
): Daemon {
  const file = path.join(folder, 'haproxy.cfg');
  writeFileSync(file, createBalancerConfig(port, serverPorts));
  chmodSync(file, 0o644);
  return new Daemon(programs.haproxy, ['-db', '-f', file], {
    cwd: folder,
    env: {},
    logFile: path.join(folder, 'haproxy.log'),
    user: unprivilegedUser,
  });
}

/** A request is sent to another server only if the first did not accept the connection. */
function createBalancerConfig(port: number, serverPorts: readonly number[]): string {
  const servers = serverPorts.map((each, at) => `  server s${at} 127.0.0.1:${each} check inter 300ms fall 1 rise 1`);
  return `global
  maxconn 500
defaults
  mode http
  timeout connect 1s
  timeout client 90s
  timeout server 90s
  retries 3
  retry-on conn-failure
  option redispatch 1
frontend clients
  bind 127.0.0.1:${port}
  default_backend servers
backend servers
  balance roundrobin
  option httpchk
  http-check send meth GET uri ${healthPath} ver HTTP/1.1 hdr Host 127.0.0.1
  http-check expect status 200
${servers.join('\n')}
`;
}
