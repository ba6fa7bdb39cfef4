/** What a client of Cohere wants embedded, as the input of embeddings. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { refuseParameter, refuseShape } from '../refuse.ts';

/** Texts, images (`{image}`), or both for one vector. Throws PARAMETER_INVALID and PARAMETER_UNSUPPORTED. */
export function inputOf(given: JsonObject): readonly (string | JsonObject)[] {
  const named = ['texts', 'images', 'inputs'].filter((name) => given[name] !== undefined && given[name] !== null);
  const [name = 'texts', other] = named;
  if (other !== undefined) return refuseParameter(other, `a call embeds one kind; leave ${name} or ${other} out`);
  const list = given[name];
  if (name === 'inputs') {
    if (!Array.isArray(list)) return refuseShape(name, 'a list of inputs');
    return list.map((item: unknown, i) => toItem(item, `inputs[${i}]`));
  }
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
    return refuseShape(name, name === 'texts' ? 'a list of texts' : 'a list of data URLs');
  return name === 'texts' ? list : list.map(toImage);
}

const toImage = (url: string): JsonObject => ({ image: /^https?:/i.test(url) ? { url } : { base64: url } });

function toItem(item: unknown, path: string): string | JsonObject {
  const content = isObject(item) ? item['content'] : undefined;
  if (!Array.isArray(content) || !content.every(isObject)) return refuseShape(`${path}.content`, 'a list of parts');
  const texts: string[] = [];
  let image: JsonObject = {};
  for (const [i, part] of content.entries()) {
    const text = textAt(part, 'text');
    const url = textAt(objectAt(part, 'image_url'), 'url');
    if (part['type'] === 'text' && text !== undefined) texts.push(text);
    else if (part['type'] === 'image_url' && url !== undefined && image['image'] === undefined) image = toImage(url);
    else return refuseParameter(`${path}.content[${i}]`, 'an input has texts and one image');
  }
  const text = texts.length === 0 ? undefined : texts.join('\n');
  return image['image'] === undefined
    ? (text ?? refuseShape(`${path}.content`, 'not empty'))
    : withoutAbsent({ text, ...image });
}
