// Stands in the bundle for modules that libraries load and storectl never calls: see rolldown.config.mjs.
module.exports = () => {};
