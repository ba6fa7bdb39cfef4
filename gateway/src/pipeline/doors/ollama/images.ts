import { refuseShape } from '../refuse.ts';

/** The first characters of images in base64, by their media types. */
const SIGNS: readonly (readonly [sign: string, type: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

/** Images of a message as parts of a chat message. Throws PARAMETER_INVALID. */
export function toImageParts(images: unknown, path: string): readonly object[] {
  if (images === undefined || images === null) return [];
  if (!Array.isArray(images)) return refuseShape(path, 'a list of images in base64');
  return images.map((image: unknown, i) => {
    const type = typeof image === 'string' ? SIGNS.find(([sign]) => image.startsWith(sign))?.[1] : undefined;
    if (type === undefined) return refuseShape(`${path}[${i}]`, 'a PNG, JPEG, GIF or WebP image in base64');
    return { type: 'image_url', image_url: { url: `data:${type};base64,${String(image)}` } };
  });
}
