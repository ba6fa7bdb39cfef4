export { imagesBody, inlineImages } from './answer.ts';
export { refuseStream, type Size, sizeOf } from './params.ts';
