# Runs the worker on this machine: workerd serve config.capnp

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "parcels", worker = (
    modules = [(name = "worker", esModule = embed "dist/worker.mjs")],
    compatibilityDate = "2026-01-01",
    compatibilityFlags = ["enable_request_signal"],
    bindings = [
      (name = "HOST", text = "127.0.0.1"),
      (name = "TARIFF", text = "{ \"home\": { \"parcel\": 399, \"kilogram\": 50 }, \"europe\": { \"parcel\": 899, \"kilogram\": 120 } }"),
    ],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "parcels")],
);
