/** oidc-provider with the clients of the comparison. A login needs no page: it goes on by itself at /interaction/ID. */
import process from 'node:process';
import { errors, interactionPolicy, Provider } from 'oidc-provider';

const { PORT: port, CLIENTS: clients = '[]', AUDIENCE: audience } = process.env;
const issuer = `http://127.0.0.1:${port}`;
const scope = 'openid profile email phone offline_access roles READ WRITE';

const prompts = interactionPolicy.base();
prompts.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);
prompts.add(new interactionPolicy.Prompt({ name: 'create', requestable: true }), 0);
prompts.get('consent').checks.remove('native_client_prompt');

const provider = new Provider(issuer, {
  clients: JSON.parse(clients),
  scopes: scope.split(' '),
  acrValues: ['AUTH-BASIC', 'AUTH-MFA'],
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
  claims: { openid: ['sub', 'acr'], profile: ['preferred_username'], email: ['email', 'email_verified'] },
  cookies: { keys: ['of-a-test'], long: { sameSite: 'none' } },
  enableHttpPostMethods: true,
  pkce: { required: (_context, client) => client.metadata().require_pkce !== false },
  extraClientMetadata: { properties: ['require_pkce'] },
  features: {
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_context, indicator) => {
        if (indicator !== audience) throw new errors.InvalidTarget();
        return { scope: 'READ WRITE', accessTokenFormat: 'opaque' };
      },
    },
  },
  interactions: { policy: prompts, url: (_context, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  rotateRefreshToken: true,
  issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
  // A first-party client needs no consent.
  async loadExistingGrant({ oidc }) {
    const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope(scope);
    grant.addResourceScope(audience, 'READ WRITE');
    await grant.save();
    return grant;
  },
});

provider.use(async (context, next) => {
  if (!context.path.startsWith('/interaction/')) return next();
  await provider.interactionFinished(context.req, context.res, { login: { accountId: 'ada-id' } });
  context.respond = false;
});

provider.listen(Number(port), '127.0.0.1');
