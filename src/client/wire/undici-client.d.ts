/** undici publishes no types for its parts: this one is the `Client` of its index, without loading the rest. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export = Client;
}
