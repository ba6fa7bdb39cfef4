/** Images in the messages of chat requests, in the formats of both interfaces. */
import { isObject } from '@gatehouse/crds';
import { mergeObjects } from '../../../lib/json/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';

export interface Image {
  readonly mimeType: string;
  readonly base64: string;
}

type Part = Readonly<Record<string, unknown>>;

const WEB = /^https?:\/\//i;

/** The different URLs, in their order. */
export function imageUrlsOf(request: JsonObject): readonly string[] {
  const urls = new Set<string>();
  mapParts(request, (part) => {
    const url = urlOf(part);
    if (url !== undefined) urls.add(url);
    return part;
  });
  return [...urls];
}

/** The request with these images, by URL, in place of their URLs. */
export function withImages(request: JsonObject, images: ReadonlyMap<string, Image>): JsonObject {
  const messages = mapParts(request, (part) => {
    const image = images.get(urlOf(part) ?? '');
    return image === undefined ? part : inlined(part, image);
  });
  return mergeObjects({}, request, { messages });
}

function mapParts(request: JsonObject, change: (part: Part) => Part): readonly unknown[] {
  const messages = request['messages'];
  if (!Array.isArray(messages)) return [];
  return messages.map((message: unknown) => {
    const content = isObject(message) ? message['content'] : undefined;
    if (!isObject(message) || !Array.isArray(content)) return message;
    const changed = content.map((part: unknown) => (isObject(part) ? change(part) : part));
    return changed.every((part, i) => part === content[i]) ? message : { ...message, content: changed };
  });
}

/** `{type: "image_url", image_url: {url}}`, or `{type: "image", source: {type: "url", url}}`; data URLs are left alone. */
function urlOf({ type, image_url: image, source }: Part): string | undefined {
  let url: unknown;
  if (type === 'image_url') url = isObject(image) ? image['url'] : image;
  else if (type === 'image' && isObject(source) && source['type'] === 'url') url = source['url'];
  return typeof url === 'string' && WEB.test(url) ? url : undefined;
}

function inlined(part: Part, { mimeType, base64 }: Image): Part {
  if (part['type'] === 'image') return { ...part, source: { type: 'base64', media_type: mimeType, data: base64 } };
  const given = isObject(part['image_url']) ? part['image_url'] : {};
  const type = typeof given['mime_type'] === 'string' ? given['mime_type'] : mimeType;
  return { ...part, image_url: { ...given, url: `data:${mimeType};base64,${base64}`, mime_type: type } };
}

/** Types of images by the ending of their names. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ...['jpeg', 'png', 'gif', 'webp', 'bmp', 'tiff', 'heic', 'heif'].map((end) => [end, `image/${end}`] as const),
  ...([
    ['jpg', 'image/jpeg'],
    ['tif', 'image/tiff'],
    ['svg', 'image/svg+xml'],
    ['ico', 'image/x-icon'],
  ] as const),
]);

/** The type of an image: as it was served, else by its name, else JPEG. */
export function mimeTypeOf(url: string, served = ''): string {
  const type = served.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (/^image\/[a-z0-9.+-]{1,64}$/.test(type)) return type;
  const path = URL.parse(url)?.pathname ?? '';
  return TYPES.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase()) ?? 'image/jpeg';
}
