// Mocha ignores a rejection that nothing handles unless somebody else listens. Thrown here, it fails the test that
// runs.
process.on("unhandledRejection", (reason) => {
  throw reason;
});
