/** Thrown to abort work when the client has disconnected. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}
