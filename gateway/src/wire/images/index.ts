export { imagesBody, inlineImages } from './answer.ts';
export {
  inlineAnyway,
  nearestRatio,
  refuseStream,
  type Size,
  sidesAs,
  sizeOf,
  weightedPrompt,
  wholeImages,
} from './params.ts';
