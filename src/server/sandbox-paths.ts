/** Takes calls below /s/<name>/ to the sandbox of that name, which answers them as if it stood alone. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import type { Context } from 'koa';
import { fault } from '../contract/errors.ts';
import type { ControlGuard } from './control/guard.ts';
import { controlPathOf } from './control/mount.ts';
import { isReading } from './http/fetch-metadata.ts';
import { sandboxName } from './sandboxes.ts';
import type { World } from './world.ts';

/** True where a sandbox has answered the call. */
export type SandboxPaths = (ctx: Context) => Promise<boolean>;

type Answering = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/**
 * A sandbox is part of the control plane, and gone with it. On a server that only this machine reaches one is made with
 * its first use, but not by a page from elsewhere; on others an administrator makes it.
 */
export function createSandboxPaths(world: World, guard: ControlGuard, createApp: (world: World) => Koa): SandboxPaths {
  const { noControl } = world.settings;
  const apps = new WeakMap<World, Answering>();
  if (noControl) return async () => false;

  function answeringOf(sandbox: World): Answering {
    const known = apps.get(sandbox);
    if (known) return known;
    const answering = createApp(sandbox).callback() as Answering;
    apps.set(sandbox, answering);
    return answering;
  }

  return async (ctx) => {
    const [, name = '', rest = ''] = /^\/s\/([^/]+)(\/.*)$/.exec(ctx.state.path) ?? [];
    if (!sandboxName.test(name)) return false;
    const changes = !isReading(ctx.req.method);
    const mayMake = guard.mayMakeSandbox(ctx);
    // Before it is made: what its control plane refuses changes nothing.
    if (mayMake && controlPathOf(rest) !== undefined) guard.admit(ctx, false);
    const sandbox = await (mayMake ? world.sandboxes.open(name, changes) : world.sandboxes.find(name, changes));
    if (!sandbox) throw fault('SANDBOX_NOT_FOUND');
    const { query } = ctx.state;
    ctx.req.url = query === '' ? rest : `${rest}?${query}`;
    await answeringOf(sandbox)(ctx.req, ctx.res);
    return true;
  };
}
