/** Replaces node:http2, which takes 20 ms of every request. undici runs without it, and the command does not use HTTP/2. */
exports.constants = {};
