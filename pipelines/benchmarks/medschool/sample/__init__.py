"""The bundled sample of this benchmark, written for medexams."""
