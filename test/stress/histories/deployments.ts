/** Where histories are made: servers, their database, and what fails while clients are at work. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { startCluster } from '../../postgres/cluster.ts';
import { between } from '../../server/store/random.ts';
import { findFreePorts } from '../failover/daemon.ts';
import { IamServers } from '../failover/iam-servers.ts';
import { findFailoverPrograms } from '../failover/programs.ts';
import { TestBed } from '../failover/test-bed.ts';
import { ServerProcess } from '../server-process.ts';
import type { Budget } from '../suite.ts';
import { withTempFolder } from '../temp-folder.ts';

export interface Deployment {
  /** The servers that take requests. */
  listUrls(): readonly string[];
  /** Makes one fault. Resolves when it is repaired. */
  disturb(draw: () => number): Promise<void>;
}

export interface DeploymentKind {
  readonly name: string;
  readonly about: string;
  readonly isOnDemand?: true;
  /** Why it cannot be started here. */
  findProblem?(): string | undefined;
  /** Starts it, calls `work`, and removes it. */
  use(budget: Budget, work: (deployment: Deployment) => Promise<void>): Promise<void>;
}

/** Tokens stay valid after a restart on another port. */
const folderSettings = { IAM_SERVE_ISSUER: 'http://iam.example', IAM_SERVE_DISABLE_RATE_LIMITS: 'true' };

const folder: DeploymentKind = {
  name: 'folder',
  about: 'kill -9 of the server on a folder, and its restart',
  use: ({ seededBug }, work) =>
    withTempFolder(async (store) => {
      const start = () => ServerProcess.either(store, seededBug, false, { settings: folderSettings }).ready();
      let server = await start();
      let urls = [server.url];
      try {
        await work({
          listUrls: () => urls,
          async disturb() {
            await server.kill();
            server = await start();
            urls = [server.url];
          },
        });
      } finally {
        await server.kill();
      }
    }),
};

const postgres: DeploymentKind = {
  name: 'postgres',
  about: 'three servers on one PostgreSQL, and kill -9 of one of them',
  async use({ seededBug, servers: count = 3 }, work) {
    const cluster = await startCluster();
    const home = mkdtempSync(path.join(os.tmpdir(), 'iam-histories-'));
    try {
      const ports = await findFreePorts(count);
      const issuer = `http://127.0.0.1:${ports[0]}`;
      const servers = new IamServers({ folder: home, ports, databaseUrl: cluster.url, issuer, seededBug });
      try {
        await servers.start();
        await work({
          listUrls: () => ports.map((port) => `http://127.0.0.1:${port}`),
          async disturb(draw) {
            const at = between(draw, 0, count);
            await servers.killOne(at);
            await servers.startOne(at);
          },
        });
      } finally {
        await servers.remove();
      }
    } finally {
      await cluster.stop();
      rmSync(home, { recursive: true, force: true });
    }
  },
};

const failover: DeploymentKind = {
  name: 'failover',
  about: 'three servers on PostgreSQL under Patroni: the primary is lost, killed, or cut off',
  isOnDemand: true,
  findProblem() {
    const programs = findFailoverPrograms(process.env);
    return typeof programs === 'string' ? programs : undefined;
  },
  async use({ seededBug, servers: serverCount = 3 }, work) {
    const programs = findFailoverPrograms(process.env);
    if (typeof programs === 'string') return;
    await TestBed.use({ programs, serverCount, seededBug }, (bed) =>
      work({
        listUrls: () => [bed.servers.issuer],
        async disturb(draw) {
          const primary = await bed.waitUntilHealthy();
          const chosen = draw();
          if (chosen < 0.4) {
            primary.killMachine();
            await setTimeout(between(draw, 10_000, 15_000));
            primary.start();
          } else if (chosen < 0.7) primary.killPostgres();
          else {
            const proxy = bed.cluster.proxyOf(primary);
            proxy.setMode('drop');
            await setTimeout(between(draw, 1_000, 12_000));
            proxy.setMode('forward');
          }
          await bed.waitUntilHealthy();
        },
      }),
    );
  },
};

export const deploymentKinds: readonly DeploymentKind[] = [folder, postgres, failover];
