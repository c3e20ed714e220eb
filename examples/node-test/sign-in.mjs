/** The program under test: signs users in at the configured service. */
export function createSignIn({ baseUrl, clientId }) {
  const post = (path, body, headers = {}) =>
    fetch(`${baseUrl}/user-identities/${path}?clientId=${clientId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return {
    /** Returns the access token; undefined if the name or password is wrong. */
    async signIn(name, password) {
      const credentials = Buffer.from(`${name}:${password}`).toString('base64');
      const response = await post('login', {}, { Authorization: `Basic ${credentials}` });
      return response.ok ? (await response.json()).accessToken : undefined;
    },
    /** Sends a code to the user. */
    forgotPassword: (userName) => post('retrieve-identity', { userName }),
    resetPassword: (username, validationCode, newPassword) =>
      post('reset-password', { username, validationCode, newPassword }),
  };
}
