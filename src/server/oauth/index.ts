/** The OAuth and OpenID Connect endpoints outside the service prefix. */
import type { Operation } from '../../contract/operation.ts';
import type { OperationContext } from '../request-context.ts';
import { authorize, authorizeByForm } from './authorize.ts';
import { device, deviceByForm } from './device.ts';
import { deviceAuthorization } from './device-authorization.ts';
import introspect from './introspect.ts';
import { login } from './login.ts';
import { logout, logoutByForm } from './logout.ts';
import { par } from './par.ts';
import revoke from './revoke.ts';
import { providerCallback } from './steps/provider-steps.ts';
import token from './token.ts';
import { userinfo, userinfoByPost } from './userinfo.ts';

const byId = {
  'oauth2.authorize': authorize,
  'oauth2.authorize-form': authorizeByForm,
  'oauth2.device': device,
  'oauth2.device-authorization': deviceAuthorization,
  'oauth2.device-form': deviceByForm,
  'oauth2.introspect': introspect,
  'oauth2.login': login,
  'oauth2.logout': logout,
  'oauth2.logout-form': logoutByForm,
  'oauth2.par': par,
  'oauth2.provider-callback': providerCallback,
  'oauth2.revoke': revoke,
  'oauth2.token': token,
  'oauth2.userinfo': userinfo,
  'oauth2.userinfo-post': userinfoByPost,
} as const;

export type OAuthOperationId = keyof typeof byId;
export const oauthOperations: readonly Operation<OperationContext>[] = Object.values(byId);
