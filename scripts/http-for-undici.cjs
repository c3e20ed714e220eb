/**
 * Replaces node:http in undici, which takes 5 ms of every request. undici takes two parts of it: the class of received
 * messages, to recognise one that is sent on, which never happens here, and the limit of headers.
 */
exports.IncomingMessage = class {};

const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
const nodeDefault = 16_384;
/** In bytes. An option of Node sets another limit. */
exports.maxHeaderSize = /max[-_]http[-_]header[-_]size/.test(options)
  ? require('node:http').maxHeaderSize
  : nodeDefault;
