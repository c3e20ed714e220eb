/** Replaces node:http2, which takes 20 ms of every request. undici runs without it, and no request uses HTTP/2. */
exports.constants = {};
