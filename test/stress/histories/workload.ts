/** The keys of a round, and the clients that share each of them. */
import { setTimeout } from 'node:timers/promises';
import { between } from '../../server/store/random.ts';
import type { Answer, Api } from './api.ts';
import { History } from './history.ts';
import { codeModel, groupModel, sessionModel } from './models.ts';

export interface WorkloadOptions {
  readonly api: Api;
  /** Of all names of a round. */
  readonly prefix: string;
  /** Returns the next seeded random number from 0 to 1. */
  readonly draw: () => number;
}

/** Makes one request as the client with this number. @returns false if its outcome is unknown, or there was none */
type Step = (client: number) => Promise<boolean>;

const clientsPerKey = 3;
/** Milliseconds. */
const failurePause = 250;

export class Workload {
  readonly histories: History[] = [];
  readonly #options: WorkloadOptions;
  #isOver = false;
  #values = 0;

  constructor(options: WorkloadOptions) {
    this.#options = options;
  }

  /** Runs until `stop` is called. @throws Error for an answer that must not be */
  async run(): Promise<void> {
    const groups = Array.from({ length: 4 }, (_, at) => this.#shareGroup(`${this.#options.prefix}-g${at}`));
    const sessions = await Promise.all(Array.from({ length: 4 }, () => this.#shareSession()));
    const codes = await Promise.all(Array.from({ length: 2 }, () => this.#shareCodes()));
    const steps: readonly Step[] = [...groups, ...sessions, ...codes];
    const clients = Array.from({ length: clientsPerKey }, (_, client) => client);
    try {
      await Promise.all(steps.flatMap((step) => clients.map((client) => this.#repeat(step, client))));
    } finally {
      this.#isOver = true;
    }
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Reads all groups, while nothing else is sent. */
  async readAll(): Promise<void> {
    for (const history of this.histories.filter(({ model }) => model === groupModel))
      while ((await this.#readGroup(history)) === undefined) await setTimeout(failurePause);
  }

  async #repeat(step: Step, client: number): Promise<void> {
    while (!this.#isOver) await setTimeout((await step(client)) ? between(this.#options.draw, 5, 50) : failurePause);
  }

  #open(...created: ConstructorParameters<typeof History>): History {
    const history = new History(...created);
    this.histories.push(history);
    return history;
  }

  #newValue(): string {
    this.#values += 1;
    return `V${this.#values}`;
  }

  async #readGroup(history: History): Promise<{ readonly tag: string; readonly etag: string | undefined } | undefined> {
    let etag: string | undefined;
    const path = `/groups/${history.key}`;
    const readTag = (answer: Answer) => {
      etag = answer.etag;
      return (JSON.parse(answer.body) as { roles: string[] }).roles[0] ?? '';
    };
    const tag = await history.record({ kind: 'read', input: '' }, () =>
      this.#options.api.ask({ method: 'GET', path }, { 200: readTag, GROUP_NOT_FOUND: '' }),
    );
    return tag === undefined ? undefined : { tag, etag };
  }

  #shareGroup(groupName: string): Step {
    const { api, draw } = this.#options;
    const history = this.#open(groupName, groupModel, '');
    const known = new Map<number, { readonly tag: string; readonly etag: string | undefined }>();
    const meanings = { 204: 'done', 201: 'done', GROUP_NAME_TAKEN: 'taken', GROUP_NOT_FOUND: 'missing' };
    const answers = { ...meanings, CHANGED_MEANWHILE: 'changed' };
    const path = `/groups/${groupName}`;
    return async (client) => {
      const chosen = draw();
      const last = known.get(client);
      if (last === undefined || chosen < 0.4) {
        const found = await this.#readGroup(history);
        if (found) known.set(client, found);
        return found !== undefined;
      }
      const condition = last.etag === undefined || draw() < 0.2 ? {} : { expected: last.tag, ifMatch: last.etag };
      const { expected, ifMatch } = condition as { expected?: string; ifMatch?: string };
      const value = this.#newValue();
      const body = { groupName, roles: [value] };
      if (chosen < 0.55) {
        const create = () => api.ask({ method: 'POST', path: '/groups', body }, answers);
        return (await history.record({ kind: 'create', input: value }, create)) !== undefined;
      }
      const change =
        chosen < 0.9
          ? ({ kind: 'update', request: { method: 'PUT', path, body, ifMatch } } as const)
          : ({ kind: 'delete', request: { method: 'DELETE', path, ifMatch } } as const);
      const operation = { kind: change.kind, input: change.kind === 'update' ? value : '', expected };
      return (await history.record(operation, () => api.ask(change.request, answers))) !== undefined;
    };
  }

  async #createUser(): Promise<{ readonly userId: string; readonly userName: string; readonly userEmail: string }> {
    let userName = '';
    const create = () => {
      // A new name for each attempt: one whose response was lost may have taken the last one.
      userName = `${this.#options.prefix}-${this.#newValue()}`.toLowerCase();
      const body = { userName, userEmail: `${userName}@example.com`, verified: true, password: 'a long phrase' };
      return { method: 'POST', path: '/_iam/users', body } as const;
    };
    const { userId } = await this.#options.api.prepare<{ userId: string }>(create);
    return { userId, userName, userEmail: `${userName}@example.com` };
  }

  async #startSession() {
    const { userId } = await this.#createUser();
    const tokens = await this.#options.api.prepare<{ accessToken: string; refreshToken: string; sessionId: string }>(
      () => ({
        method: 'POST',
        path: '/_iam/sessions',
        body: { userId, remember: true },
      }),
    );
    const { accessToken, refreshToken, sessionId } = tokens;
    const history = this.#open(sessionId, sessionModel, refreshToken);
    return { history, accessToken, sessionId, tokens: [refreshToken], clientId: readClientId(accessToken) };
  }

  /** One client renews; the others use the access token, and sometimes another refresh token, or end the session. */
  async #shareSession(): Promise<Step> {
    const { api, draw } = this.#options;
    let session = await this.#startSession();
    return async (client) => {
      const { history, accessToken, sessionId, tokens, clientId } = session;
      const chosen = draw();
      if (client === 0 ? chosen < 0.9 : chosen < 0.05) {
        const isReuse = chosen < 0.01;
        const token = tokens[isReuse ? between(draw, 0, tokens.length) : tokens.length - 1] ?? '';
        const path = `/user-identities/renew-token?clientId=${clientId}`;
        const body = { refreshToken: token };
        const readToken = (answer: Answer) => (JSON.parse(answer.body) as { refreshToken: string }).refreshToken;
        const output = await history.record({ kind: 'renew', input: token }, () =>
          api.ask({ method: 'POST', path, body, isAnonymous: true }, { 201: readToken, 401: 'rejected' }),
        );
        if (output === 'rejected' && session.history === history && draw() < 0.5) session = await this.#startSession();
        else if (output !== undefined && output !== 'rejected') tokens.push(output);
        return output !== undefined;
      }
      if (client > 0 && chosen < 0.07) {
        const end = { method: 'DELETE', path: `/_iam/sessions?sessionId=${sessionId}` } as const;
        const answers = { 200: 'done', SESSION_NOT_FOUND: 'missing' };
        return (await history.record({ kind: 'end', input: '' }, () => api.ask(end, answers))) !== undefined;
      }
      const check = {
        method: 'POST',
        path: '/user-identities/me/access-token',
        body: {},
        bearer: accessToken,
      } as const;
      const answers = { 201: 'alive', 401: 'ended' };
      return (await history.record({ kind: 'check', input: '' }, () => api.ask(check, answers))) !== undefined;
    };
  }

  async #openCodes() {
    const user = await this.#createUser();
    const codes: string[] = [];
    return { ...user, codes, history: this.#open(user.userName, codeModel, '') };
  }

  /** One client requests codes; all use them, also those that were used or replaced. */
  async #shareCodes(): Promise<Step> {
    const { api, draw } = this.#options;
    const { clientId } = await this.#startSession();
    let holder = await this.#openCodes();
    return async (client) => {
      const { history, userName, userEmail, codes } = holder;
      if (client === 0 && (codes.length === 0 || draw() < 0.3)) {
        const code = await history.record({ kind: 'issue', input: '' }, () =>
          this.#issueCode(userName, userEmail, clientId),
        );
        // What an unknown request sends later could be taken for the next code.
        if (code === undefined) holder = await this.#openCodes();
        else codes.push(code);
        return code !== undefined;
      }
      const code = codes[draw() < 0.8 ? codes.length - 1 : between(draw, 0, codes.length)];
      if (code === undefined) return true;
      const body = { newPassword: `a long phrase ${this.#newValue()}`, validationCode: code, username: userName };
      const path = `/user-identities/reset-password?clientId=${clientId}`;
      const use = () =>
        api.ask({ method: 'POST', path, body, isAnonymous: true }, { 201: 'done', CODE_INVALID: 'invalid' });
      return (await history.record({ kind: 'use', input: code }, use)) !== undefined;
    };
  }

  async #issueCode(userName: string, userEmail: string, clientId: string) {
    const { api } = this.#options;
    const path = `/user-identities/retrieve-identity?clientId=${clientId}`;
    const issued = await api.ask({ method: 'POST', path, body: { userName }, isAnonymous: true }, { 201: 'done' });
    if (issued === 'refused' || issued === 'unknown') return issued;
    const messages = await api.prepare<{ code?: string }[]>(() => ({
      method: 'GET',
      path: `/_iam/inbox?to=${userEmail}`,
    }));
    const code = messages.find((message) => message.code !== undefined)?.code;
    return code === undefined ? ('unknown' as const) : { output: code };
  }
}

function readClientId(accessToken: string): string {
  const claims = Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString();
  return (JSON.parse(claims) as { client_id: string }).client_id;
}
