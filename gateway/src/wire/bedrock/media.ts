/** Images, videos and documents as Converse blocks. */
import type { JsonObject } from '../contract.ts';

export type Block = JsonObject;

/** The bytes of a remote file that was fetched for the request. */
export interface InlineMedia {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** State common to the blocks of one conversation. */
export interface ContentScope {
  /** Fetched files by their URL. */
  readonly remote: ReadonlyMap<string, InlineMedia>;
  /** A name for a document that is unique in the conversation. */
  nameDocument(wanted: string | undefined): string;
}

const DEFAULT_TYPE = 'application/pdf';
const IMAGE_FORMATS: ReadonlySet<string> = new Set(['jpeg', 'png', 'bmp', 'tiff', 'webp', 'gif']);

/** MIME subtypes whose format has another name. Source: DocumentBlock, ImageBlock and VideoBlock of the Converse API. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['jpg', 'jpeg'],
  ['plain', 'txt'],
  ['markdown', 'md'],
  ['x-markdown', 'md'],
  ['msword', 'doc'],
  ['vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['vnd.ms-excel', 'xls'],
  ['vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['quicktime', 'mov'],
  ['x-matroska', 'mkv'],
  ['3gpp', 'three_gp'],
  ['three_gpp', 'three_gp'],
  ['x-flv', 'flv'],
  ['x-ms-wmv', 'wmv'],
]);

export interface Media {
  readonly mimeType?: string | undefined;
  readonly source: JsonObject;
  readonly name?: string | undefined;
}

/** The block for a file, by its MIME type: types other than images and videos are documents. */
export function toMediaBlock({ mimeType = DEFAULT_TYPE, source, name }: Media, scope: ContentScope): Block {
  const [type = '', subtype = ''] = (mimeType.split(';', 1)[0] ?? '').split('/');
  const format = FORMATS.get(subtype) ?? subtype;
  if (type === 'image' && IMAGE_FORMATS.has(format)) return { image: { format, source } };
  if (type === 'video') return { video: { format, source } };
  return { document: { format, name: scope.nameDocument(name), source } };
}

/** Source of the bytes of a URL: the fetched file, or the bucket. */
export function remoteSource(url: string, scope: ContentScope): Media | undefined {
  if (url.startsWith('s3://')) return { source: { s3Location: { uri: url } } };
  const media = scope.remote.get(url);
  return media === undefined ? undefined : { mimeType: media.mimeType, source: { bytes: media.data } };
}

/** Whether the URL has to be fetched, because the upstream accepts bytes and buckets only. */
export const isRemote = (url: string): boolean => /^https?:\/\//i.test(url);

const MAX_NAME_CHARS = 200;

/** Valid document names: restricted characters, single spaces, unique; numbered in order when there is none. */
export function createContentScope(remote: ContentScope['remote'] = new Map()): ContentScope {
  const taken = new Set<string>();
  return {
    remote,
    nameDocument(wanted) {
      const base = (wanted ?? '')
        .replace(/[^A-Za-z0-9\s\-()[\]]/g, '-')
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, MAX_NAME_CHARS);
      let name = base === '' ? `document-${taken.size + 1}` : base;
      if (taken.has(name)) name = `${name}-${taken.size + 1}`;
      taken.add(name);
      return name;
    },
  };
}
