/** Replaces node:http in undici, which takes 5 ms of every request. undici looks for streams of responses of node:http, which the command does not send. */
exports.IncomingMessage = class {};
/** The default of Node, in bytes. */
exports.maxHeaderSize = 16_384;
