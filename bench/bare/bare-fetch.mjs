// One POST with the global fetch, and its answer on stdout, as a short script would do it.
const [url] = process.argv.slice(2);
const response = await globalThis.fetch(url, {
  method: 'POST',
  headers: { authorization: 'Bearer key-of-the-bench', 'content-type': 'application/json' },
  body: JSON.stringify({ label: 'x', sections: ['store'], idempotencyKey: 'one' }),
});
console.log(JSON.stringify(await response.json()));
