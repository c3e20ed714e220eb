/** Notices of factors: a user learns at every verified contact of a factor that any operation adds, verifies or removes. */
import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../src/client/index.ts';
import type { TestServer } from '../../harness.ts';
import { lastCode } from '../operations/otp-inbox.ts';
import { createSession } from '../operations/user-identities/callers.ts';
import {
  freshEmail,
  mainEmail,
  mainNumber,
  notices,
  otherMobile,
  startWithBob,
  workEmail,
} from '../operations/user-identities/factors/factor-fixtures.ts';
import { newPassword, reset, retrieve } from '../operations/user-identities/flows.ts';

const phoneNumber = '+15555550123';
const added = 'added@example.com';
const authenticationFactors = [{ contactType: 'EMAIL' as const, email: added }];
const id = 'bob';

interface Change {
  readonly work: (server: TestServer, bob: IamClient) => Promise<unknown>;
  readonly text: string;
  /** Verified contacts of Bob that do not get this notice. */
  readonly except?: readonly string[];
}

async function verify(server: TestServer, bob: IamClient, factorId: string, to: string): Promise<unknown> {
  await bob.userIdentities.factors.sendToken({ params: { id: factorId } });
  const token = await lastCode(server, to);
  return bob.userIdentities.factors.validateToken({ params: { id: factorId }, body: { token } });
}

const changes: Readonly<Record<string, Change>> = {
  'factors.add': {
    work: (_, bob) => bob.userIdentities.factors.add({ body: { authenticationFactors } }),
    text: 'A contact was added to your account, to which codes are sent once it is verified: a***@example.com.',
  },
  'factors.admin-add': {
    work: ({ admin }) => admin.userIdentities.factors.adminAdd({ params: { id }, body: { authenticationFactors } }),
    text: 'A contact was added to your account, to which codes are sent: a***@example.com.',
  },
  'factors.update': {
    work: (_, bob) =>
      bob.userIdentities.factors.update({ params: { id: 'work' }, body: { contactType: 'EMAIL', email: added } }),
    text: 'A contact was removed from your account: b***@work.example.',
    except: [workEmail],
  },
  'factors.update with another spelling': {
    work: (_, bob) => {
      const body = { contactType: 'EMAIL', email: workEmail.toUpperCase() } as const;
      return bob.userIdentities.factors.update({ params: { id: 'work' }, body });
    },
    text: 'No codes are sent to this contact of your account until it is verified again: B***@WORK.EXAMPLE.',
    except: [workEmail],
  },
  'factors.admin-update': {
    work: ({ admin }) =>
      admin.userIdentities.factors.adminUpdate({ params: { id, factorId: 'work' }, body: { email: added } }),
    text: 'A contact was added to your account, to which codes are sent: a***@example.com.',
    except: [workEmail],
  },
  'factors.remove': {
    work: (_, bob) => bob.userIdentities.factors.remove({ params: { id: 'work' } }),
    text: 'A contact was removed from your account: b***@work.example.',
    except: [workEmail],
  },
  'factors.admin-remove': {
    work: ({ admin }) => admin.userIdentities.factors.adminRemove({ params: { id, factorId: 'phone' } }),
    text: 'A contact was removed from your account: ***0123.',
    except: [phoneNumber],
  },
  'factors.validate-token': {
    work: (server, bob) => verify(server, bob, 'fresh', freshEmail),
    text: 'Codes are now sent to this contact of your account: f***@example.net.',
  },
  'user-identities.update': {
    work: ({ admin }) =>
      admin.userIdentities.update({
        params: { id },
        body: { userMobile: { regionCode: 1, areaCode: 555, phoneNumber: 5550199 } },
      }),
    text: 'A contact was added to your account, to which codes are sent: ***0199.',
    except: [mainNumber],
  },
};

describe.each(Object.entries(changes))('%s', (_, { work, text, except = [] }) => {
  test('announces the factor at every other verified contact', async () => {
    await using server = await startWithBob();
    await work(server, await createSession(server, 'bob'));
    const sent = (await notices(server)).filter(({ purpose }) => purpose === 'factor-changed');
    const verified = [mainEmail, mainNumber, workEmail, phoneNumber].filter((to) => !except.includes(to));
    expect(sent.map(({ to }) => to).sort()).toEqual(verified.sort());
    for (const notice of sent) expect(notice.text.split('\n')).toContain(text);
  });
});

test('a main mobile number that is verified is announced at the main e-mail address', async () => {
  await using server = await startWithBob();
  await server.appContext.store.transaction(async (tx) => {
    const bob = await tx.users.get('bob');
    if (bob) await tx.users.replace({ ...bob, mobileVerified: false });
  });
  await verify(server, await createSession(server, 'bob'), 'main-mobile', mainNumber);
  const [notice] = (await notices(server)).filter(({ to }) => to === mainEmail);
  expect(notice?.text).toContain('Codes are now sent to this contact of your account: ***4321.');
});

test('nothing is announced for tags, a rejected request, a removed user or a seed', async () => {
  await using server = await startWithBob();
  const bob = await createSession(server, 'bob');
  await server.admin.userIdentities.factors.adminUpdate({ params: { id, factorId: 'work' }, body: { tags: ['a'] } });
  const taken = { authenticationFactors: [{ contactType: 'MOBILE' as const, mobile: otherMobile }] };
  await expect(bob.userIdentities.factors.add({ body: taken })).rejects.toMatchObject({ code: 'FACTOR_TAKEN' });
  await server.admin.userIdentities.remove({ params: { id } });
  expect(await notices(server)).toEqual([]);
});

test('the notice of a new password lists the contacts that receive codes', async () => {
  await using server = await startWithBob();
  await retrieve(server, 'bob');
  const code = await lastCode(server, mainEmail);
  expect(await reset(server, code, { username: 'bob', newPassword })).toMatchObject({ status: 201 });
  const [notice] = (await notices(server)).filter(({ to }) => to === mainEmail);
  expect(notice?.text).toContain(
    'These contacts of your account receive codes: b***@example.com, ***4321, ***0123, b***@work.example.',
  );
});
