package system;

// timeout: 60
import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamReader;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.SAXParseException;
import org.xml.sax.helpers.DefaultHandler;

/** The XML half of the library: trees, events, paths, stylesheets (compiled to classes), schemas. */
public class Xml {
    static final String TEXT = "<r><a x='1'>one &amp; two</a><b><a x='2'/></b><!-- note --></r>";
    static final String STYLE = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:output omit-xml-declaration='yes'/>"
            + "<xsl:template match='/'><out><xsl:for-each select='//a'><xsl:sort select='@x' order='descending'/><v><xsl:value-of select='@x * 10'/></v>"
            + "</xsl:for-each></out></xsl:template></xsl:stylesheet>";
    static final String SCHEMA = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='n' type='xs:int'/></xs:schema>";

    public static void main(String[] args) throws Exception {
        Document d = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(TEXT)));
        System.out.println(d.getDocumentElement().getFirstChild().getTextContent() + " " + d.getElementsByTagName("a").getLength());
        System.out.println(XPathFactory.newInstance().newXPath().evaluate("concat(count(//a), ' ', sum(//a/@x))", d));
        StringWriter out = new StringWriter();
        TransformerFactory.newInstance().newTransformer(new StreamSource(new StringReader(STYLE))).transform(new DOMSource(d), new StreamResult(out));
        System.out.println(out);
        StringBuilder events = new StringBuilder();
        SAXParserFactory.newInstance().newSAXParser().parse(new InputSource(new StringReader(TEXT)), new DefaultHandler() {
            @Override
            public void startElement(String uri, String local, String name, Attributes a) {
                events.append('<').append(name).append(a.getLength());
            }

            @Override
            public void endElement(String uri, String local, String name) {
                events.append('>');
            }
        });
        System.out.println(events);
        XMLStreamReader stream = XMLInputFactory.newInstance().createXMLStreamReader(new StringReader(TEXT));
        while (stream.hasNext()) {
            System.out.print(stream.next() + " ");
        }
        System.out.println();
        var validator = SchemaFactory.newInstance("http://www.w3.org/2001/XMLSchema").newSchema(new StreamSource(new StringReader(SCHEMA))).newValidator();
        for (String text : new String[] {"<n>5</n>", "<n>x</n>", "<m/>"}) {
            try {
                validator.validate(new StreamSource(new StringReader(text)));
                System.out.println("valid");
            } catch (SAXParseException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
