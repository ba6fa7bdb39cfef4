export { type BucketOptions, createBucketDocuments } from './bucket-documents.ts';
export type { DocumentStore, PutOptions } from './document-store.ts';
export { DOCUMENT_BYTES, type DocumentDrop, DocumentUploads, type UploadSettings } from './document-uploads.ts';
export { createFolderDocuments } from './folder-documents.ts';
