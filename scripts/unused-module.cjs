// Replaces modules in the bundle that libraries load and storectl never calls: see rolldown.config.mjs.
module.exports = () => {};
