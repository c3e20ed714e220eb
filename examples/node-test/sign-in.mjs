/** The program under test: signs people in at the service that it is configured with. */
export function createSignIn({ baseUrl, clientId }) {
  const post = (path, body, headers = {}) =>
    fetch(`${baseUrl}/user-identities/${path}?clientId=${clientId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return {
    /** The token, or undefined where name or password is wrong. */
    async signIn(name, password) {
      const pair = Buffer.from(`${name}:${password}`).toString('base64');
      const answer = await post('login', {}, { Authorization: `Basic ${pair}` });
      return answer.ok ? (await answer.json()).accessToken : undefined;
    },
    /** Has a code sent to the user. */
    forgotPassword: (userName) => post('retrieve-identity', { userName }),
    resetPassword: (username, validationCode, newPassword) =>
      post('reset-password', { username, validationCode, newPassword }),
  };
}
