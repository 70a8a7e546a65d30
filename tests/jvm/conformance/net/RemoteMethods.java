package net;

import java.rmi.NotBoundException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.List;

/** RMI over loopback: serialization, proxies, sockets and threads together. */
public class RemoteMethods {
    public interface Service extends Remote {
        String join(List<String> words) throws RemoteException;

        int fail(int x) throws RemoteException;
    }

    static class Server implements Service {
        @Override
        public String join(List<String> words) {
            return String.join("+", words);
        }

        @Override
        public int fail(int x) {
            throw new IllegalArgumentException("no " + x);
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("java.rmi.server.hostname", "127.0.0.1");
        Registry registry = LocateRegistry.createRegistry(0);
        Server server = new Server();
        registry.bind("service", UnicastRemoteObject.exportObject(server, 0));
        Service stub = (Service) registry.lookup("service");
        System.out.println(stub.join(List.of("a", "b")) + " " + (stub instanceof Server));
        try {
            stub.fail(3);
        } catch (IllegalArgumentException e) {
            System.out.println(e);
        }
        try {
            registry.lookup("none");
        } catch (NotBoundException e) {
            System.out.println(e);
        }
        UnicastRemoteObject.unexportObject(server, true);
        try {
            stub.fail(4);
        } catch (RemoteException e) {
            System.out.println(e.getClass().getName());
        }
        UnicastRemoteObject.unexportObject(registry, true);
    }
}
