// Takes the place of RapiDoc's parser, which is larger than the rest of it: the service's own document needs no conversion, and
// its references all point into the document itself.

/** As RapiDoc calls it: loads the document at `url`, in the form that RapiDoc shows best. */
async function resolve({ url }) {
  const response = await fetch(url);
  if (!response.ok) return { response };
  const document = await response.json();
  // RapiDoc prints it outside of the margin.
  const { license: _, ...info } = document.info;
  return { spec: { ...prepare(document, document, []), info } };
}

/**
 * Puts what each `$ref` points to in its place. A schema that contains itself keeps its reference there, which RapiDoc shows as
 * recursive. What may be null becomes `nullable`: RapiDoc would show a choice of two as an object.
 */
function prepare(value, document, inside) {
  if (Array.isArray(value)) return value.map((item) => prepare(item, document, inside));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, anyOf, ...others } = value;
  if (typeof $ref === 'string' && !inside.includes($ref)) {
    return prepare({ ...lookUp($ref, document), ...others }, document, [...inside, $ref]);
  }
  const choices = anyOf?.filter(({ type }) => type !== 'null');
  if (anyOf?.length === 2 && choices.length === 1) {
    return prepare({ ...choices[0], ...others, nullable: true }, document, inside);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, prepare(item, document, inside)]),
  );
}

/** What a JSON pointer such as `#/components/schemas/Backup` points to. */
function lookUp(pointer, document) {
  let found = document;
  for (const name of pointer.split('/').slice(1)) {
    found = found[name.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return found;
}

export default { resolve };
