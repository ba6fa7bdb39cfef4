export { type Path, type Place, placesOf } from './places.ts';
export { requestText, responseText } from './whole-text.ts';
export { withTexts } from './write-back.ts';
