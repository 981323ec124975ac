/** What each of these programs serves, as a compiler writes it that emits CommonJS. */
require('reflect-metadata');
const { createApp, Service, Tool } = require('@sigil/core');
const { Length } = require('class-validator');

class Greeting {}
Length(1, 20)(Greeting.prototype, 'name');
Reflect.metadata('design:type', String)(Greeting.prototype, 'name');

class Greetings {
  greet(greeting) {
    return `Hello ${greeting.name}, ${greeting instanceof Greeting}`;
  }
}
const greet = Object.getOwnPropertyDescriptor(Greetings.prototype, 'greet');
Reflect.metadata('design:paramtypes', [Greeting])(Greetings.prototype, 'greet');
Tool({ description: 'Greets' })(Greetings.prototype, 'greet', greet);
Service()(Greetings);

exports.Greetings = Greetings;
exports.greetingsApp = () => createApp({ name: 'greetings', version: '1.0.0', services: [Greetings] });
