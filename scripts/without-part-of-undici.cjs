/** Replaces the parts of undici that no request uses: HTTP/2 and forms are a quarter of what it loads. */
module.exports = () => {
  throw new Error('The bundle has no such part of undici.');
};
