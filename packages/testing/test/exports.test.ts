import { expect, test } from '@jest/globals';
import * as testing from '../src/index.js';

test('the package exports these values and no others', () => {
  expect(Object.keys(testing).sort()).toEqual(['TestApp', 'TestClient', 'connect', 'testApp', 'textOf']);
});
